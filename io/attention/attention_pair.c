/* attention_pair.c - attention of a pair of sentences: a matrix for each view, side by side. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/attention/alignment.h"
#include "io/attention/attention_parts.h"
#include "io/attention/entropy.h"
#include "io/attention/svg_heat.h"
#include "io/page/page.h"

static const double LOSS_MOST = 8; /* nats: a word that had one chance in 3000 */

static double greatest(const AttentionView *v)
{
    double most = 0;
    for (int64_t i = 0; i < v->n; i++) most = fmax(most, fabs(v->weight[i]));
    return most;
}

/* The word of each piece, or the piece itself. */
static int64_t word_of(const AttentionWords *w, int64_t i) { return w->part_of ? w->part_of[i] : i; }

static void mark_gold(const AttentionExample *e, const AttentionLinks *l, unsigned char bit, unsigned char *mark)
{
    for (int64_t k = 0; k < l->n; k++)
        for (int64_t j = 0; j < e->target.n; j++)
            for (int64_t i = 0; i < e->words.n && word_of(&e->target, j) == l->at[2 * k + 1]; i++)
                if (word_of(&e->words, i) == l->at[2 * k]) mark[j * e->words.n + i] |= bit;
}

static void mark_all(const AttentionExample *e, const AttentionView *v, AttentionReadout links, unsigned char *mark)
{
    for (int64_t j = 0; j < e->target.n; j++)
        for (int64_t i = 0; i < e->words.n; i++)
            if (v->measure == ATTENTION_WEIGHT && alignment_linked(e, v, links, i, j))
                mark[j * e->words.n + i] |= SVG_LINK;
    mark_gold(e, &e->possible, SVG_POSSIBLE, mark);
    mark_gold(e, &e->sure, SVG_SURE, mark);
}

const char *attention_title(const AttentionView *v)
{
    switch (v->measure) {
    case ATTENTION_JACOBIAN: return "Gradient norm";
    case ATTENTION_INPUT_X_GRADIENT: return "Input \xc3\x97 gradient";
    default: return v->name;
    }
}

double attention_loss(const AttentionExample *e)
{
    double sum = 0;
    for (int64_t j = 0; e->loss && j < e->target.n; j++) sum += e->loss[j];
    return e->loss && e->target.n > 0 ? sum / (double)e->target.n : -1;
}

/* label: of the model, where there are several; then its loss stands here too. */
static Status put_name(Buffer *out, const AttentionExample *e, const AttentionView *v, const char *label)
{
    TRY(buffer_text(out, "<figcaption><strong>"));
    TRY(page_text(out, label ? label : attention_title(v)));
    TRY(buffer_text(out, "</strong>"));
    if (!label) return OK;
    TRY(buffer_text(out, "<span>"));
    TRY(page_text(out, attention_title(v)));
    TRY(buffer_text(out, "</span>"));
    if (!e->loss || e->target.n == 0) return OK;
    return buffer_format(out, "<span>loss a word %.3f</span>", attention_loss(e));
}

static Status put_caption(Buffer *out, const AttentionExample *e, const AttentionView *v, AttentionReadout links,
                          const char *label, Arena *arena)
{
    TRY(put_name(out, e, v, label));
    if (v->layer > 0) TRY(buffer_format(out, "<span>layer %d</span>", v->layer + 1));
    if (v->head > 0) TRY(buffer_format(out, "<span>head %d</span>", v->head + 1));
    if (v->hop > 0) TRY(buffer_format(out, "<span>step %d</span>", v->hop + 1));
    if (v->measure == ATTENTION_INPUT_X_GRADIENT)
        TRY(buffer_text(out, "<span class=\"shade both\"><i></i>from minus to plus the largest of each row</span>"));
    else if (v->measure == ATTENTION_JACOBIAN)
        TRY(buffer_text(out, "<span class=\"shade\"><i></i>0 to the largest of each row</span>"));
    else
        TRY(buffer_format(out, "<span class=\"shade\"><i></i>0 to %.3g</span>", greatest(v)));
    if (v->measure == ATTENTION_WEIGHT) {
        const Entropy h = entropy_of_view(e, v);
        TRY(buffer_format(out, "<span>entropy %.3f nats, %.0f %% of the most</span>", entropy_mean(&h),
                          100 * entropy_mean_share(&h)));
        AttentionLinks read;
        TRY(alignment_links(e, v, links, arena, &read));
        const double error = alignment_error(e, &read, NULL);
        if (error >= 0) TRY(buffer_format(out, "<span>alignment error %.1f %%</span>", 100 * error));
    }
    return buffer_text(out, "</figcaption>\n");
}

/* Weights have one scale. Gradients shrink where the model is sure: each row has the scale of its largest, which a bar
 * shows against the largest of all. */
static void find_scales(const AttentionExample *e, const AttentionView *v, double *scale, double *size)
{
    const double most = greatest(v);
    for (int64_t j = 0; j < e->target.n; j++) {
        double largest = 0;
        for (int64_t i = 0; i < e->words.n; i++) largest = fmax(largest, fabs(v->weight[j * e->words.n + i]));
        size[j] = most > 0 ? largest / most : -1;
        scale[j] = v->measure == ATTENTION_WEIGHT ? most : largest;
        if (!(scale[j] > 0)) scale[j] = 1;
    }
}

Status attention_heat(const AttentionExample *e, const AttentionView *v, AttentionReadout links, Arena *arena,
                      SvgHeat *h)
{
    unsigned char *mark;
    double *share, *scale, *size;
    *h = (SvgHeat){.label = attention_title(v), .columns = &e->words, .rows = &e->target, .value = v->weight};
    TRY_NEW(mark, arena, v->n + 1);
    TRY_NEW(share, arena, e->target.n + 1);
    TRY_NEW(scale, arena, e->target.n + 1);
    TRY_NEW(size, arena, e->target.n + 1);
    find_scales(e, v, scale, size);
    h->scale = scale;
    mark_all(e, v, links, mark);
    h->mark = mark;
    for (int64_t j = 0; j < e->target.n; j++) (void)entropy_of_row(e, v, j, &share[j]);
    if (v->measure == ATTENTION_WEIGHT) h->bar[h->n_bars++] = (SvgBar){"entropy", share, 1, false};
    if (v->measure != ATTENTION_WEIGHT) h->bar[h->n_bars++] = (SvgBar){"largest", size, 1, false};
    if (e->loss) h->bar[h->n_bars++] = (SvgBar){"loss", e->loss, LOSS_MOST, true};
    return OK;
}

static Status put_panel(Buffer *out, const AttentionExample *e, const AttentionView *v, AttentionReadout links,
                        const char *label, Arena *arena)
{
    SvgHeat h;
    TRY(attention_heat(e, v, links, arena, &h));
    TRY(buffer_text(out, "<figure class=\"panel\">\n"));
    TRY(put_caption(out, e, v, links, label, arena));
    TRY(svg_heat(out, &h));
    return buffer_text(out, "</figure>\n");
}

static Status put_panels(Buffer *out, const AttentionExample *e, AttentionReadout links, const char *label,
                         Arena *arena)
{
    for (int i = 0; i < e->n_views; i++) {
        if (e->view[i].over != ATTENTION_PAIRS) continue;
        arena_release(arena, (ArenaMark){0});
        TRY(put_panel(out, e, &e->view[i], links, label, arena));
    }
    return OK;
}

Status attention_panels(Buffer *out, const AttentionExample *e, AttentionReadout links, const char *label)
{
    Arena arena = {0};
    const Status st = put_panels(out, e, links, label, &arena);
    arena_close(&arena);
    return st;
}

static Status put_side(Buffer *out, const AttentionWords *w)
{
    TRY(buffer_text(out, "<p dir=\"auto\">"));
    TRY(attention_text(out, w, 0, w->n, NULL, 0));
    return buffer_text(out, "</p>\n");
}

Status attention_sides(Buffer *out, const AttentionExample *e)
{
    TRY(buffer_text(out, "<div class=\"sides\">\n"));
    TRY(put_side(out, &e->words));
    TRY(put_side(out, &e->target));
    return buffer_text(out, "</div>\n");
}

Status attention_pair(Buffer *out, const AttentionExample *e, AttentionReadout links)
{
    TRY(attention_sides(out, e));
    TRY(buffer_text(out, "<div class=\"panels\">\n"));
    TRY(attention_panels(out, e, links, NULL));
    return buffer_text(out, "</div>\n");
}
