/* draw_matrix.c - a view as a heat map, with what people know and the links that are read out; a short field that looks
 * at itself as arcs. */
#include <math.h>

#include "io/attention/alignment.h"
#include "io/attention/draw.h"
#include "io/attention/entropy.h"
#include "io/attention/svg_arcs.h"
#include "io/attention/svg_heat.h"

enum { ARCS_MOST = 30 /* words; more are a tangle */ };
static const double LOSS_MOST = 8; /* nats: a word that had one chance in 3000 */

/* --- Marks --- */

/* The word of each piece, or the place itself. */
static int64_t whole(const AttentionExample *e, const AttentionAxis *a, int64_t i)
{
    const int64_t *part_of = a->unit == AXIS_WORDS ? e->field[a->field].words.part_of : NULL;
    return part_of ? part_of[i] : i;
}

static void mark_link(const AttentionExample *e, const AttentionView *v, const int64_t *link, unsigned char bit,
                      unsigned char *mark)
{
    for (int64_t j = 0; j < v->rows.size; j++)
        for (int64_t i = 0; i < v->columns.size && whole(e, &v->rows, j) == link[1]; i++)
            if (whole(e, &v->columns, i) == link[0]) mark[j * v->columns.size + i] |= bit;
}

/* Places of the columns that decide, in all rows. */
static void mark_column(const AttentionExample *e, const AttentionView *v, int64_t place, unsigned char bit,
                        unsigned char *mark)
{
    for (int64_t i = 0; i < v->columns.size; i++)
        for (int64_t j = 0; j < v->rows.size && whole(e, &v->columns, i) == place; j++)
            mark[j * v->columns.size + i] |= bit;
}

static void mark_gold(const AttentionExample *e, const AttentionView *v, const AttentionGold *g, unsigned char *mark)
{
    const unsigned char bit = g->possible ? SVG_POSSIBLE : SVG_SURE;
    const bool links = g->to >= 0 && v->rows.unit == AXIS_WORDS && v->rows.field == g->to;
    if (v->columns.field != g->of || v->columns.unit != g->unit || (g->to >= 0 && !links)) return;
    for (int64_t k = 0; k < g->n; k++)
        if (links)
            mark_link(e, v, g->at + 2 * k, bit, mark);
        else
            mark_column(e, v, g->at[k], bit, mark);
}

/* Links are read out where words of one field look at those of another. */
static void mark_read(const AttentionExample *e, const AttentionView *v, AttentionReadout links, unsigned char *mark)
{
    if (v->measure != ATTENTION_WEIGHT || v->rows.unit != AXIS_WORDS || v->columns.unit != AXIS_WORDS ||
        v->rows.field == v->columns.field)
        return;
    for (int64_t j = 0; j < v->rows.size; j++)
        for (int64_t i = 0; i < v->columns.size; i++)
            if (alignment_linked(e, v, links, i, j)) mark[j * v->columns.size + i] |= SVG_LINK;
}

static Status find_marks(const Drawing *d, const AttentionView *v, unsigned char **mark)
{
    TRY_NEW(*mark, d->arena, v->rows.size * v->columns.size + 1);
    mark_read(d->e, v, d->links, *mark);
    for (int g = 0; g < d->e->n_gold; g++) mark_gold(d->e, v, &d->e->gold[g], *mark);
    return OK;
}

/* --- Bars beside the rows --- */

/* How spread out weights are. Gradients shrink where the model is sure: each row has the scale of its largest, which a
 * bar shows against the largest of all. */
static Status find_spread(const Drawing *d, const AttentionView *v, SvgHeat *h)
{
    const double most = draw_greatest(v);
    double *value;
    TRY_NEW(value, d->arena, v->rows.size + 1);
    if (v->columns.by_sentence) return OK;
    for (int64_t j = 0; j < v->rows.size; j++) {
        const AttentionView row = {
            .rows = {.size = 1}, .columns = v->columns, .weight = v->weight + j * v->columns.size};
        if (v->measure == ATTENTION_WEIGHT)
            (void)entropy_of_row(d->e, v, j, &value[j]);
        else
            value[j] = most > 0 ? draw_greatest(&row) / most : -1;
    }
    h->bar[h->n_bars++] = (SvgBar){v->measure == ATTENTION_WEIGHT ? "entropy" : "largest", value, 1, false};
    return OK;
}

/* Small losses have a scale of their own, which the name tells, so that their bars are seen. */
static Status find_loss(const Drawing *d, const AttentionView *v, SvgHeat *h)
{
    static const double scale[] = {0.001, 0.01, 0.1, 1};
    const double *loss = v->rows.unit == AXIS_WORDS ? d->e->field[v->rows.field].loss : NULL;
    if (!loss) return OK;
    double largest = 0, most = LOSS_MOST;
    for (int64_t j = 0; j < v->rows.size; j++) largest = fmax(largest, loss[j]);
    for (int k = (int)(sizeof scale / sizeof *scale) - 1; k >= 0 && largest < scale[k] / 2; k--) most = scale[k];
    const char *name = most < LOSS_MOST ? arena_format(d->arena, "loss \xe2\x89\xa4%g", most) : "loss";
    REQUIRE(name, ERR_HOST, "%s", status_message());
    h->bar[h->n_bars++] = (SvgBar){name, loss, most, true};
    return OK;
}

/* --- Pictures --- */

static Status put_heat(const SvgHeat *h, Buffer *out, DrawSize *size)
{
    svg_heat_size(h, &size->width, &size->height);
    return svg_heat(out, h);
}

Status draw_heat(const Drawing *d, const AttentionView *v, Buffer *out, DrawSize *size)
{
    unsigned char *mark;
    double *scale;
    AttentionWords rows, columns;
    SvgHeat h = {.label = draw_title(v), .rows = &rows, .columns = &columns, .value = v->weight};
    TRY(draw_labels(d->e, &v->rows, d->arena, &rows));
    TRY(draw_labels(d->e, &v->columns, d->arena, &columns));
    TRY(draw_scales(v, d->arena, &scale));
    TRY(find_marks(d, v, &mark));
    h.scale = scale;
    h.mark = mark;
    TRY(find_spread(d, v, &h));
    TRY(find_loss(d, v, &h));
    return put_heat(&h, out, size);
}

static Status turn(const Drawing *d, const AttentionView *v, SvgHeat *h)
{
    const int64_t rows = v->rows.size, columns = v->columns.size;
    double *value, *scale;
    unsigned char *mark, *turned;
    const double most = draw_greatest(v);
    TRY_NEW(value, d->arena, rows * columns + 1);
    TRY_NEW(turned, d->arena, rows * columns + 1);
    TRY_NEW(scale, d->arena, columns + 1);
    TRY(find_marks(d, v, &mark));
    for (int64_t i = 0; i < columns; i++) {
        scale[i] = most > 0 ? most : 1;
        for (int64_t j = 0; j < rows; j++) {
            value[i * rows + j] = v->weight[j * columns + i];
            turned[i * rows + j] = mark[j * columns + i];
        }
    }
    h->value = value;
    h->scale = scale;
    h->mark = turned;
    return OK;
}

Status draw_turned(const Drawing *d, const AttentionView *v, Buffer *out, DrawSize *size)
{
    AttentionWords rows, columns;
    SvgHeat h = {.label = draw_title(v), .rows = &columns, .columns = &rows};
    TRY(draw_labels(d->e, &v->rows, d->arena, &rows));
    TRY(draw_labels(d->e, &v->columns, d->arena, &columns));
    TRY(turn(d, v, &h));
    return put_heat(&h, out, size);
}

Status draw_self(const Drawing *d, const AttentionView *v, Buffer *out, DrawSize *size)
{
    if (v->rows.size > ARCS_MOST) return draw_heat(d, v, out, size);
    double *scale;
    unsigned char *mark;
    TRY(draw_scales(v, d->arena, &scale));
    TRY(find_marks(d, v, &mark));
    const SvgArcs a = {.label = draw_title(v),
                       .words = &d->e->field[v->rows.field].words,
                       .value = v->weight,
                       .scale = scale,
                       .mark = mark};
    svg_arcs_size(&a, &size->width, &size->height);
    return svg_arcs(out, &a);
}
