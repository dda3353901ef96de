/* draw_text.c - attention as text: words and sentences that are shaded, memories by hop. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/attention/draw.h"
#include "io/page/page.h"

/* --- Words --- */

static double greatest(const double *v, int64_t first, int64_t end)
{
    double most = 0;
    for (int64_t i = first; i < end; i++) most = v[i] > most ? v[i] : most;
    return most;
}

static bool over_words(const AttentionView *v, bool weight)
{
    return v->rows.unit == AXIS_NONE && v->columns.unit == AXIS_WORDS && (v->measure == ATTENTION_WEIGHT) == weight;
}

/* The largest of all texts has the full shade. */
static double implicit_scale(const AttentionExample *e)
{
    double most = 0;
    for (int i = 0; i < e->n_views; i++)
        if (over_words(&e->view[i], false)) most = fmax(most, draw_greatest(&e->view[i]));
    return most > 0 ? 1 / most : 0;
}

/* The view of the sentences of the same head, else the first. */
static const AttentionView *partner(const AttentionExample *e, const AttentionView *words)
{
    const AttentionView *first = NULL;
    for (int i = 0; i < e->n_views; i++) {
        const AttentionView *v = &e->view[i];
        if (v->rows.unit != AXIS_NONE || v->columns.unit != AXIS_SENTENCES || v->measure != ATTENTION_WEIGHT ||
            v->columns.field != words->columns.field)
            continue;
        if (v->head == words->head) return v;
        if (!first) first = v;
    }
    return first;
}

static int64_t parts_of(const AttentionField *f) { return f->levels == 2 ? f->n_sentences : 1; }

static int64_t part(const AttentionField *f, int64_t s)
{
    return f->levels == 2 ? f->sentence[s] : s == 0 ? 0 : f->words.n;
}

/* The words that decide; NULL: nobody knows. */
static Status find_gold(const Drawing *d, int field, bool **gold)
{
    const AttentionGold *g = attention_gold(d->e, AXIS_WORDS, field, -1, false);
    const AttentionWords *w = &d->e->field[field].words;
    *gold = NULL;
    if (!g) return OK;
    TRY_NEW(*gold, d->arena, w->n + 1);
    for (int64_t i = 0; i < w->n; i++)
        for (int64_t k = 0; k < g->n; k++)
            if (g->at[k] == (w->part_of ? w->part_of[i] : i)) (*gold)[i] = true;
    return OK;
}

static bool decides(const AttentionExample *e, int field, int64_t sentence)
{
    const AttentionGold *g = attention_gold(e, AXIS_SENTENCES, field, -1, false);
    for (int64_t i = 0; g && i < g->n; i++)
        if (g->at[i] == sentence) return true;
    return false;
}

/* Words are shaded by their weight against the greatest of their sentence, and paler in sentences of little weight by
 * the square root, so that words of less important sentences can still be seen (as in Yang et al. 2016). */
static Status put_sentence(Buffer *out, const AttentionExample *e, int64_t s, const AttentionView *words,
                           const AttentionView *sentences, const bool *gold)
{
    const AttentionField *f = &e->field[words->columns.field];
    const int64_t first = part(f, s), end = part(f, s + 1);
    double pale = 1;
    TRY(buffer_text(out, "<div class=\"sent\">"));
    if (sentences) {
        const double share = sentences->weight[s] / fmax(1e-30, greatest(sentences->weight, 0, f->n_sentences));
        pale = sqrt(fmax(0, share));
        TRY(buffer_format(out, "<span class=\"w\" style=\"--a:%.3f\">%.3f</span>", fmax(0, fmin(1, share)),
                          sentences->weight[s]));
    }
    TRY(buffer_text(out, "<p dir=\"auto\">"));
    const double most =
        words->columns.by_sentence ? greatest(words->weight, first, end) : greatest(words->weight, 0, f->words.n);
    TRY(words_text(out, &f->words, first, end, &(WordsShade){words->weight, most > 0 ? pale / most : 0, gold}));
    if (f->levels == 2 && decides(e, words->columns.field, s))
        TRY(buffer_text(out, " <span class=\"decides\" title=\"supporting fact\">&#10003;</span>"));
    return buffer_text(out, "</p></div>\n");
}

static Status put_weights(Drawing *d, const AttentionView *v, Buffer *out)
{
    const AttentionField *f = &d->e->field[v->columns.field];
    const AttentionView *sentences = v->columns.by_sentence ? partner(d->e, v) : NULL;
    int same = 0;
    bool *gold;
    TRY(find_gold(d, v->columns.field, &gold));
    for (int i = 0; i < d->e->n_views; i++)
        same += over_words(&d->e->view[i], true) && d->e->view[i].columns.field == v->columns.field;
    if (sentences) d->drawn[sentences - d->e->view] = true;
    if (same > 1) {
        TRY(buffer_text(out, "<h3>"));
        TRY(page_text(out, v->name));
        TRY(buffer_format(out, ", layer %d, head %d</h3>\n", v->layer + 1, v->head + 1));
    }
    TRY(buffer_text(out, "<div class=\"doc\">\n"));
    for (int64_t s = 0; s < parts_of(f); s++) TRY(put_sentence(out, d->e, s, v, sentences, gold));
    return buffer_text(out, "</div>\n");
}

/* All against the largest of all texts. */
static Status put_gradients(Drawing *d, const AttentionView *v, Buffer *out)
{
    const AttentionField *f = &d->e->field[v->columns.field];
    const WordsShade shade = {v->weight, implicit_scale(d->e), NULL};
    TRY(buffer_text(out, "<h3>"));
    TRY(page_text(out, draw_title(v)));
    TRY(buffer_text(out, "</h3>\n<div class=\"doc\">\n"));
    for (int64_t s = 0; s < parts_of(f); s++) {
        TRY(buffer_text(out, "<div class=\"sent\"><p dir=\"auto\">"));
        TRY(words_text(out, &f->words, part(f, s), part(f, s + 1), &shade));
        TRY(buffer_text(out, "</p></div>\n"));
    }
    return buffer_text(out, "</div>\n");
}

static Status put_question(Drawing *d, const AttentionView *v, Buffer *out)
{
    const AttentionField *f = &d->e->field[v->columns.field];
    const double most = draw_greatest(v);
    const double scale = v->measure != ATTENTION_WEIGHT ? implicit_scale(d->e) : most > 0 ? 1 / most : 0;
    TRY(buffer_text(out, "<p class=\"question\" dir=\"auto\">"));
    TRY(words_text(out, &f->words, 0, f->words.n, &(WordsShade){v->weight, scale, NULL}));
    return buffer_text(out, "</p>\n");
}

Status draw_shaded(Drawing *d, int view, Buffer *out)
{
    const AttentionView *v = &d->e->view[view];
    const AttentionField *f = &d->e->field[v->columns.field];
    d->drawn[view] = d->shown[v->columns.field] = true;
    if (f->role == ROLE_QUERY && f->levels == 1) return put_question(d, v, out);
    return v->measure == ATTENTION_WEIGHT ? put_weights(d, v, out) : put_gradients(d, v, out);
}

/* --- Memories --- */

/* One column of the table: place s has value[s * stride]. */
typedef struct Column {
    const AttentionView *view;
    const double *value;
    int64_t stride, hop;
} Column;

typedef struct Memory {
    const AttentionExample *e;
    const AttentionAxis *places;
    AttentionWords label;       /* of places that are no sentences */
    const AttentionView *slope; /* what the gradient tells of the words, or NULL */
    double scale;               /* of the values */
    int64_t n;                  /* columns */
    Column *column;
    bool heads; /* there are several, or layers */
} Memory;

static bool same_places(const AttentionView *a, const AttentionView *b)
{
    const AttentionAxis *x = a->rows.unit == AXIS_NONE ? &a->columns : &a->rows;
    const AttentionAxis *y = b->rows.unit == AXIS_NONE ? &b->columns : &b->rows;
    return a->rows.unit == b->rows.unit && a->columns.unit == b->columns.unit && a->measure == b->measure &&
           x->unit == y->unit && x->field == y->field && x->size == y->size;
}

static Status find_columns(Drawing *d, int view, Memory *m)
{
    const AttentionView *first = &d->e->view[view];
    int64_t most = 0;
    for (int i = view; i < d->e->n_views; i++) most += d->e->view[i].rows.unit ? d->e->view[i].columns.size : 1;
    TRY_NEW(m->column, d->arena, most + 1);
    for (int i = view; i < d->e->n_views; i++) {
        const AttentionView *v = &d->e->view[i];
        if (d->drawn[i] || !same_places(first, v)) continue;
        d->drawn[i] = true;
        m->heads = m->heads || v->head > 0 || v->layer != first->layer || strcmp(v->name, first->name) != 0;
        const int64_t steps = v->rows.unit == AXIS_NONE ? 1 : v->columns.size;
        for (int64_t k = 0; k < steps; k++) m->column[m->n++] = (Column){v, v->weight + k, steps, v->hop + k};
    }
    return OK;
}

/* The words of the sentences are shaded by their gradient, when it is there. */
static void take_slope(Drawing *d, Memory *m)
{
    for (int i = 0; i < d->e->n_views; i++) {
        const AttentionView *v = &d->e->view[i];
        if (m->slope || d->drawn[i] || !over_words(v, false) || v->columns.field != m->places->field) continue;
        m->slope = v;
        d->drawn[i] = true;
    }
}

static bool has_sentences(const Memory *m)
{
    return m->places->field >= 0 && m->e->field[m->places->field].levels == 2;
}

static Status put_place(Buffer *out, const Memory *m, int64_t s)
{
    if (has_sentences(m)) {
        const AttentionField *f = &m->e->field[m->places->field];
        const WordsShade shade = {m->slope ? m->slope->weight : NULL, implicit_scale(m->e), NULL};
        return words_text(out, &f->words, f->sentence[s], f->sentence[s + 1], m->slope ? &shade : NULL);
    }
    size_t n;
    const char *label = words_at(&m->label, s, &n);
    return page_text_n(out, label, n);
}

static Status put_value(Buffer *out, const Memory *m, double w)
{
    const double shade = fmax(0, fmin(1, fabs(w) * m->scale));
    if (m->n == 1)
        return buffer_format(out,
                             "<td class=\"one\"><span class=\"bar\"><i style=\"width:%.1f%%\"></i></span></td>"
                             "<td class=\"num\" title=\"%.4f\">%.2f</td>",
                             100 * shade, w, w);
    TRY(buffer_format(out, "<td class=\"hop%s\" style=\"--a:%.3f\" title=\"%.4f\">", w < 0 ? " minus" : "", shade, w));
    if (fabs(w) >= 0.005) TRY(buffer_format(out, "%.2f", w));
    return buffer_text(out, "</td>");
}

static Status put_row(Buffer *out, const Memory *m, int64_t s)
{
    const bool fact = m->places->field >= 0 && decides(m->e, m->places->field, s);
    TRY(buffer_format(out, "<tr%s><td class=\"mark\"%s>%s</td><td dir=\"auto\">", fact ? " class=\"fact\"" : "",
                      fact ? " title=\"supporting fact\"" : "", fact ? "&#10003;" : ""));
    TRY(put_place(out, m, s));
    TRY(buffer_text(out, "</td>"));
    for (int64_t k = 0; k < m->n; k++) TRY(put_value(out, m, m->column[k].value[s * m->column[k].stride]));
    return buffer_text(out, "</tr>\n");
}

static Status put_heading(Buffer *out, const Memory *m, const Column *c)
{
    TRY(buffer_text(out, m->n == 1 ? "<th class=\"num\" colspan=\"2\">" : "<th class=\"num\">"));
    if (m->heads) {
        TRY(page_text(out, c->view->name));
        if (c->view->layer > 0) TRY(buffer_format(out, " layer %d", c->view->layer + 1));
        TRY(buffer_format(out, " head %d ", c->view->head + 1));
    }
    return buffer_format(out, "hop %lld</th>", (long long)c->hop + 1);
}

static Status put_table(Buffer *out, const Memory *m)
{
    TRY(buffer_text(out, "<table class=\"story\">\n<tr><th></th><th>Memory</th>"));
    for (int64_t k = 0; k < m->n; k++) TRY(put_heading(out, m, &m->column[k]));
    TRY(buffer_text(out, "</tr>\n"));
    for (int64_t s = 0; s < m->places->size; s++) TRY(put_row(out, m, s));
    return buffer_text(out, "</table>\n");
}

Status draw_memory(Drawing *d, int view, Buffer *out)
{
    const AttentionView *v = &d->e->view[view];
    Memory m = {.e = d->e, .places = v->rows.unit == AXIS_NONE ? &v->columns : &v->rows, .scale = 1};
    TRY(find_columns(d, view, &m));
    double most = 0;
    for (int64_t k = 0; k < m.n; k++) most = fmax(most, draw_greatest(m.column[k].view));
    if (v->measure != ATTENTION_WEIGHT) m.scale = most > 0 ? 1 / most : 0;
    if (has_sentences(&m)) {
        d->shown[m.places->field] = true;
        take_slope(d, &m);
    } else
        TRY(draw_labels(d->e, m.places, d->arena, &m.label));
    return put_table(out, &m);
}
