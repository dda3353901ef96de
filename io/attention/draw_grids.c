/* draw_grids.c - what was looked at on a grid: the picture's own cells in grey, the weights over them, once a row. */
#include <math.h>

#include "io/attention/draw.h"
#include "io/attention/svg_heat.h"
#include "io/page/page.h"
#include "io/page/script.h"

enum { SIDE = 132 /* pixels of the longer side */, GAP = 12, LABEL = 18, FONT = 12, MARGIN = 2, ACROSS = 5, CUT = 16 };
static const double FAINT = 0.005;

typedef struct Grids {
    const AttentionView *view;
    const AttentionField *field;
    AttentionWords label; /* of the rows */
    double *scale;        /* (rows) */
    const AttentionGold *gold;
    double cell, label_height;
    int64_t across, down; /* pictures */
} Grids;

static Status plan(const Drawing *d, const AttentionView *v, Grids *g)
{
    *g = (Grids){.view = v, .field = &d->e->field[v->columns.field]};
    const int64_t longer = g->field->height > g->field->width ? g->field->height : g->field->width;
    TRY(draw_labels(d->e, &v->rows, d->arena, &g->label));
    TRY(draw_scales(v, d->arena, &g->scale));
    g->gold = attention_gold(d->e, AXIS_CELLS, v->columns.field, -1, false);
    g->cell = fmax(2, floor(SIDE / (double)(longer > 0 ? longer : 1)));
    g->label_height = v->rows.unit == AXIS_NONE ? 0 : LABEL;
    g->across = v->rows.size < ACROSS ? v->rows.size : ACROSS;
    g->down = g->across ? (v->rows.size + g->across - 1) / g->across : 0;
    return OK;
}

/* A row's picture has room for its label too. */
static double step_x(const Grids *g) { return fmax(g->cell * (double)g->field->width, SIDE) + GAP; }

static double step_y(const Grids *g) { return g->cell * (double)g->field->height + g->label_height + GAP; }

static DrawSize size_of(const Grids *g)
{
    return (DrawSize){ceil(2 * MARGIN + step_x(g) * (double)g->across), ceil(2 * MARGIN + step_y(g) * (double)g->down)};
}

static Status put_label(Buffer *out, const Grids *g, int64_t row, double x, double y)
{
    size_t n;
    const char *word = words_at(&g->label, row, &n);
    if (g->label_height == 0) return OK;
    TRY(buffer_format(out, "<text x=\"%.1f\" y=\"%.1f\"%s><title>%lld: ", x, y + FONT,
                      script_is_right_to_left(word, n) ? " direction=\"rtl\" unicode-bidi=\"embed\" text-anchor=\"end\""
                                                       : "",
                      (long long)row + 1));
    TRY(page_text_n(out, word, n));
    TRY(buffer_text(out, "</title>"));
    TRY(page_label(out, word, n, CUT));
    return buffer_text(out, "</text>\n");
}

static Status put_rect(Buffer *out, const Grids *g, double x, double y, int64_t cell)
{
    return buffer_format(out, "x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"",
                         x + g->cell * (double)(cell % g->field->width), y + g->cell * (double)(cell / g->field->width),
                         g->cell, g->cell);
}

/* The picture itself. */
static Status put_grey(Buffer *out, const Grids *g, double x, double y)
{
    const AttentionField *f = g->field;
    if (!f->grey)
        return buffer_format(out, "<rect class=\"field\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", x,
                             y, g->cell * (double)f->width, g->cell * (double)f->height);
    TRY(buffer_text(out, "<g class=\"grey\">\n"));
    for (int64_t i = 0; i < f->height * f->width; i++) {
        const int shade = (int)lround(255 * fmax(0, fmin(1, f->grey[i])));
        TRY(buffer_text(out, "<rect "));
        TRY(put_rect(out, g, x, y, i));
        TRY(buffer_format(out, " fill=\"#%02x%02x%02x\"/>\n", (unsigned)shade, (unsigned)shade, (unsigned)shade));
    }
    return buffer_text(out, "</g>\n");
}

static Status put_weights(Buffer *out, const Grids *g, int64_t row, double x, double y)
{
    TRY(buffer_text(out, g->field->grey ? "<g class=\"cells over\">\n" : "<g class=\"cells\">\n"));
    for (int64_t i = 0; i < g->view->columns.size; i++) {
        const double v = g->view->weight[row * g->view->columns.size + i], share = fabs(v) / g->scale[row];
        if (share < FAINT) continue;
        TRY(buffer_text(out, v < 0 ? "<rect class=\"minus\" " : "<rect "));
        TRY(put_rect(out, g, x, y, i));
        TRY(buffer_format(out, " fill-opacity=\"%.3f\"><title>%lld, %lld  %.4g</title></rect>\n", 0.85 * fmin(1, share),
                          (long long)(i / g->field->width) + 1, (long long)(i % g->field->width) + 1, v));
    }
    return buffer_text(out, "</g>\n");
}

static Status put_gold(Buffer *out, const Grids *g, double x, double y)
{
    const double half = fmax(1, 0.15 * g->cell);
    TRY(buffer_text(out, "<g class=\"marks\">\n"));
    for (int64_t k = 0; g->gold && k < g->gold->n; k++) {
        const int64_t i = g->gold->at[k];
        const double cx = x + g->cell * ((double)(i % g->field->width) + 0.5);
        const double cy = y + g->cell * ((double)(i / g->field->width) + 0.5);
        for (int halo = 1; halo >= 0; halo--)
            TRY(buffer_format(out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>",
                              halo ? "halo" : "sure", cx - half, cy - half, 2 * half, 2 * half));
        TRY(buffer_text(out, "\n"));
    }
    return buffer_text(out, "</g>\n");
}

static Status put_grid(Buffer *out, const Grids *g, int64_t row)
{
    const double x = MARGIN + step_x(g) * (double)(row % g->across);
    const double y = MARGIN + step_y(g) * (double)(row / g->across), top = y + g->label_height;
    TRY(put_label(out, g, row, x, y));
    TRY(put_grey(out, g, x, top));
    TRY(put_weights(out, g, row, x, top));
    return put_gold(out, g, x, top);
}

Status draw_grids(const Drawing *d, const AttentionView *v, Buffer *out, DrawSize *size)
{
    Grids g;
    TRY(plan(d, v, &g));
    *size = size_of(&g);
    TRY(buffer_format(out,
                      "<svg class=\"heat\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" font-size=\"%d\" "
                      "style=\"--w:%.0fpx;--f:%dpx\" role=\"img\" aria-label=\"",
                      size->width, size->height, size->width, size->height, FONT, size->width, FONT));
    TRY(page_text(out, draw_title(v)));
    TRY(buffer_text(out, "\">\n"));
    for (int64_t row = 0; row < v->rows.size; row++) TRY(put_grid(out, &g, row));
    return buffer_text(out, "</svg>\n");
}
