/* draw.c - the table of renderers, and all of an example drawn with it. */
#include "io/attention/draw.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/attention/alignment.h"
#include "io/attention/entropy.h"
#include "io/page/page.h"
#include "io/page/script.h"

enum { SHOWN_CLASSES = 5, LABEL_WORDS = 4 };

typedef struct Renderer {
    AxisUnit rows, columns;
    bool self;      /* the words of one field look at each other */
    DrawText *text; /* one of the two */
    DrawPicture *picture;
    const char *note; /* how it is read */
} Renderer;

static const Renderer renderers[] = {
#define TEXT(row, column, name, how)    {AXIS_##row, AXIS_##column, .text = draw_##name, .note = how},
#define PICTURE(row, column, name, how) {AXIS_##row, AXIS_##column, .picture = draw_##name, .note = how},
#define SELF(name, how)                 {AXIS_WORDS, AXIS_WORDS, .self = true, .picture = draw_##name, .note = how},
    DRAW_RENDERERS(TEXT, PICTURE, SELF)
#undef TEXT
#undef PICTURE
#undef SELF
};

static const Renderer *renderer_of(const AttentionView *v)
{
    static const Renderer plain = {.picture = draw_heat, .note = DRAW_HEAT};
    const bool self = v->rows.unit == AXIS_WORDS && v->columns.unit == AXIS_WORDS && v->rows.field == v->columns.field;
    for (size_t i = 0; i < sizeof renderers / sizeof *renderers; i++) {
        const Renderer *r = &renderers[i];
        if (r->rows == v->rows.unit && r->columns == v->columns.unit && r->self == self) return r;
    }
    return &plain;
}

/* --- What renderers share --- */

const char *draw_title(const AttentionView *v)
{
    switch (v->measure) {
    case ATTENTION_JACOBIAN: return "Gradient norm";
    case ATTENTION_INPUT_X_GRADIENT: return "Input \xc3\x97 gradient";
    default: return v->name;
    }
}

double draw_greatest(const AttentionView *v)
{
    double most = 0;
    for (int64_t i = 0; i < v->rows.size * v->columns.size; i++) most = fmax(most, fabs(v->weight[i]));
    return most;
}

Status draw_scales(const AttentionView *v, Arena *arena, double **scale)
{
    const double most = draw_greatest(v);
    TRY_NEW(*scale, arena, v->rows.size + 1);
    for (int64_t j = 0; j < v->rows.size; j++) {
        double largest = 0;
        for (int64_t i = 0; i < v->columns.size; i++) largest = fmax(largest, fabs(v->weight[j * v->columns.size + i]));
        if (v->measure == ATTENTION_WEIGHT) largest = most;
        (*scale)[j] = largest > 0 ? largest : 1;
    }
    return OK;
}

/* The first words of a sentence, as running text. */
static Status sentence_label(const AttentionField *f, int64_t s, Buffer *text)
{
    const int64_t first = f->sentence[s], end = f->sentence[s + 1];
    for (int64_t i = first; i < end && i < first + LABEL_WORDS; i++) {
        size_t n, before = 0;
        const char *word = words_at(&f->words, i, &n);
        const char *last = i > first ? words_at(&f->words, i - 1, &before) : NULL;
        if (last && script_space_between(last, before, word, n)) TRY(buffer_text(text, " "));
        TRY(buffer_append(text, word, n));
    }
    return end > first + LABEL_WORDS ? buffer_text(text, " \xe2\x80\xa6") : OK;
}

static Status place_label(const AttentionExample *e, const AttentionAxis *a, int64_t i, Buffer *text)
{
    static const char *const what[] = {"", "word", "sentence", "slot", "cell", "turn", "head", "step"};
    const AttentionField *f = a->field >= 0 ? &e->field[a->field] : NULL;
    size_t n;
    if (f && f->levels == 2 && a->unit != AXIS_WORDS) return sentence_label(f, i, text);
    if (f && f->height > 0)
        return buffer_format(text, "%lld, %lld", (long long)(i / f->width) + 1, (long long)(i % f->width) + 1);
    if (f) {
        const char *word = words_at(&f->words, i, &n);
        return buffer_append(text, word, n);
    }
    return a->unit == AXIS_NONE ? OK : buffer_format(text, "%s %lld", what[a->unit], (long long)i + 1);
}

static Status copy_labels(const AttentionExample *e, const AttentionAxis *a, Arena *arena, Buffer *text,
                          AttentionWords *out)
{
    int64_t *start;
    char *copy;
    TRY_NEW(start, arena, a->size + 1);
    for (int64_t i = 0; i < a->size; i++) {
        TRY(place_label(e, a, i, text));
        start[i + 1] = (int64_t)text->size;
    }
    TRY_NEW(copy, arena, (int64_t)text->size + 1);
    if (text->size) memcpy(copy, text->data, text->size);
    *out = (AttentionWords){.n = a->size, .text = copy, .start = start};
    return OK;
}

Status draw_labels(const AttentionExample *e, const AttentionAxis *a, Arena *arena, AttentionWords *out)
{
    Buffer text = {0};
    if (a->unit == AXIS_WORDS) {
        *out = e->field[a->field].words;
        return OK;
    }
    const Status st = copy_labels(e, a, arena, &text, out);
    buffer_close(&text);
    return st;
}

/* --- What was predicted --- */

static Status put_fact(Buffer *out, const char *class, const char *what, const char *value)
{
    TRY(buffer_format(out, "<span class=\"%s\">%s <b dir=\"auto\">", class, what));
    TRY(page_text(out, value));
    return buffer_text(out, "</b></span>\n");
}

Status draw_verdict(Buffer *out, const AttentionExample *e)
{
    const bool known = e->truth != NULL, right = known && e->prediction && strcmp(e->truth, e->prediction) == 0;
    const double loss = attention_loss(e);
    TRY(buffer_text(out, "<div class=\"verdict\">\n"));
    if (e->id) TRY(put_fact(out, "id", "Input", e->id));
    if (e->prediction) TRY(put_fact(out, !known ? "said" : right ? "right" : "wrong", "Predicted", e->prediction));
    if (known) TRY(put_fact(out, "true", "True", e->truth));
    if (loss >= 0) TRY(buffer_format(out, "<span>Loss a word <b>%.3f</b></span>\n", loss));
    return buffer_text(out, "</div>\n");
}

static Status put_classes(Buffer *out, const AttentionExample *e)
{
    const int n = e->n_classes < SHOWN_CLASSES ? e->n_classes : SHOWN_CLASSES;
    if (n == 0) return OK;
    TRY(buffer_text(out, "<div class=\"bars\">\n"));
    for (int i = 0; i < n; i++) {
        TRY(buffer_text(out, "<span dir=\"auto\">"));
        TRY(page_text(out, e->class_name[i]));
        TRY(buffer_format(out, "</span><span class=\"bar\"><i style=\"width:%.1f%%\"></i></span><span>%.1f %%</span>\n",
                          100 * fmax(0, fmin(1, e->probability[i])), 100 * e->probability[i]));
    }
    return buffer_text(out, "</div>\n");
}

/* --- Figures --- */

/* label: of the model, where there are several; then its loss stands here too. */
static Status put_name(Buffer *out, const AttentionExample *e, const AttentionView *v, const char *label)
{
    const double loss = attention_loss(e);
    TRY(buffer_text(out, "<figcaption><strong>"));
    TRY(page_text(out, label ? label : draw_title(v)));
    TRY(buffer_text(out, "</strong>"));
    if (!label) return OK;
    TRY(buffer_text(out, "<span>"));
    TRY(page_text(out, draw_title(v)));
    TRY(buffer_text(out, "</span>"));
    return loss < 0 ? OK : buffer_format(out, "<span>loss a word %.3f</span>", loss);
}

static Status put_error(Buffer *out, const Drawing *d, const AttentionView *v)
{
    AlignmentLinks read;
    if (!attention_has_links(d->e, v)) return OK;
    const AlignmentGold gold = alignment_gold(d->e, v);
    TRY(alignment_links(d->e, v, d->links, d->arena, &read));
    return buffer_format(out, "<span>alignment error %.1f %%</span>", 100 * alignment_error(&gold, &read, NULL));
}

/* Then it has the second colour. */
static bool over_grey(const AttentionExample *e, const AttentionView *v)
{
    return v->columns.unit == AXIS_CELLS && e->field[v->columns.field].grey;
}

static Status put_caption(Buffer *out, const Drawing *d, const AttentionView *v, const char *label)
{
    TRY(put_name(out, d->e, v, label));
    if (v->layer > 0) TRY(buffer_format(out, "<span>layer %d</span>", v->layer + 1));
    if (v->head > 0) TRY(buffer_format(out, "<span>head %d</span>", v->head + 1));
    if (v->hop > 0) TRY(buffer_format(out, "<span>step %d</span>", v->hop + 1));
    if (v->measure == ATTENTION_INPUT_X_GRADIENT)
        TRY(buffer_text(out, "<span class=\"shade both\"><i></i>from minus to plus the largest of each row</span>"));
    else if (v->measure == ATTENTION_JACOBIAN)
        TRY(buffer_text(out, "<span class=\"shade\"><i></i>0 to the largest of each row</span>"));
    else
        TRY(buffer_format(out, "<span class=\"shade%s\"><i></i>0 to %.3g</span>", over_grey(d->e, v) ? " over" : "",
                          draw_greatest(v)));
    if (v->measure == ATTENTION_WEIGHT) {
        const Entropy h = entropy_of_view(d->e, v);
        TRY(buffer_format(out, "<span>entropy %.3f nats, %.0f %% of the most</span>", entropy_mean(&h),
                          100 * entropy_mean_share(&h)));
        TRY(put_error(out, d, v));
    }
    return buffer_text(out, "</figcaption>\n");
}

static Status put_figure(Buffer *out, const Drawing *d, const AttentionView *v, const char *label)
{
    DrawSize size;
    TRY(buffer_text(out, "<figure class=\"panel\">\n"));
    TRY(put_caption(out, d, v, label));
    TRY(renderer_of(v)->picture(d, v, out, &size));
    return buffer_text(out, "</figure>\n");
}

static Status put_figures(Drawing *d, Buffer *out, const char *label)
{
    const ArenaMark mark = arena_mark(d->arena);
    for (int i = 0; i < d->e->n_views; i++) {
        if (!renderer_of(&d->e->view[i])->picture) continue;
        TRY(put_figure(out, d, &d->e->view[i], label));
        arena_release(d->arena, mark);
    }
    return OK;
}

Status draw_pictures(Buffer *out, const AttentionExample *e, AttentionReadout links, const char *label)
{
    Arena arena = {0};
    Drawing d;
    Status st = draw_begin(&d, e, links, &arena);
    if (st == OK) st = put_figures(&d, out, label);
    arena_close(&arena);
    return st;
}

Status draw_picture(const Drawing *d, const AttentionView *v, Buffer *out, DrawSize *size, bool *is)
{
    const Renderer *r = renderer_of(v);
    *is = r->picture != NULL;
    return *is ? r->picture(d, v, out, size) : OK;
}

bool attention_has_picture(const AttentionExample *e)
{
    for (int i = 0; i < e->n_views; i++)
        if (renderer_of(&e->view[i])->picture) return true;
    return false;
}

bool draw_pictures_alone(const AttentionExample *e)
{
    for (int i = 0; i < e->n_views; i++)
        if (!renderer_of(&e->view[i])->picture) return false;
    return e->n_classes == 0;
}

/* --- All of an example --- */

Status draw_begin(Drawing *d, const AttentionExample *e, AttentionReadout links, Arena *arena)
{
    *d = (Drawing){.e = e, .links = links, .arena = arena};
    TRY_NEW(d->drawn, arena, e->n_views + 1);
    TRY_NEW(d->shown, arena, e->n_fields + 1);
    return OK;
}

static Status put_sentences(Buffer *out, const AttentionField *f)
{
    TRY(buffer_text(out, "<div class=\"doc\">\n"));
    for (int64_t s = 0; s < f->n_sentences; s++) {
        TRY(buffer_text(out, "<div class=\"sent\"><p dir=\"auto\">"));
        TRY(words_text(out, &f->words, f->sentence[s], f->sentence[s + 1], NULL));
        TRY(buffer_text(out, "</p></div>\n"));
    }
    return buffer_text(out, "</div>\n");
}

static Status put_line(Buffer *out, const AttentionField *f, const char *begin)
{
    TRY(buffer_text(out, begin));
    TRY(words_text(out, &f->words, 0, f->words.n, NULL));
    return buffer_text(out, "</p>\n");
}

Status draw_fields(Drawing *d, Buffer *out)
{
    bool sides = false;
    for (int i = 0; i < d->e->n_fields; i++) {
        const AttentionField *f = &d->e->field[i];
        const bool side = f->levels == 1 && f->role != ROLE_QUERY;
        if (d->shown[i] || f->height > 0) continue;
        if (side != sides) TRY(buffer_text(out, side ? "<div class=\"sides\">\n" : "</div>\n"));
        sides = side;
        if (f->levels == 2)
            TRY(put_sentences(out, f));
        else
            TRY(put_line(out, f, side ? "<p dir=\"auto\">" : "<p class=\"question\" dir=\"auto\">"));
        d->shown[i] = true;
    }
    return sides ? buffer_text(out, "</div>\n") : OK;
}

static Status put_body(Drawing *d, Buffer *out)
{
    const AttentionExample *e = d->e;
    TRY(put_classes(out, e));
    for (int i = 0; i < e->n_views; i++)
        if (renderer_of(&e->view[i])->text && !d->drawn[i]) TRY(renderer_of(&e->view[i])->text(d, i, out));
    TRY(draw_fields(d, out));
    if (!attention_has_picture(e)) return OK;
    TRY(buffer_text(out, "<div class=\"panels\">\n"));
    TRY(put_figures(d, out, NULL));
    return buffer_text(out, "</div>\n");
}

Status draw_body(Buffer *out, const AttentionExample *e, AttentionReadout links)
{
    Arena arena = {0};
    Drawing d;
    Status st = draw_begin(&d, e, links, &arena);
    if (st == OK) st = put_body(&d, out);
    arena_close(&arena);
    return st;
}

Status attention_html(Buffer *out, const AttentionExample *e)
{
    TRY(buffer_text(out, "<article class=\"example\">\n"));
    TRY(draw_verdict(out, e));
    TRY(draw_body(out, e, (AttentionReadout){0}));
    return buffer_text(out, "</article>\n");
}

/* Each once, in the order of the views; what a gradient tells is not weights, and needs no other words. */
Status draw_notes(Buffer *out, int n, const AttentionExample *e)
{
    const char *said[sizeof renderers / sizeof *renderers + 1];
    size_t n_said = 0, k;
    for (int i = 0; i < n; i++)
        for (int v = 0; v < e[i].n_views; v++) {
            const char *note = renderer_of(&e[i].view[v])->note;
            for (k = 0; k < n_said && strcmp(said[k], note) != 0; k++) continue;
            if (k < n_said || e[i].view[v].measure != ATTENTION_WEIGHT) continue;
            said[n_said++] = note;
            TRY(buffer_format(out, "<p class=\"sub\">%s</p>\n", note));
        }
    return OK;
}
