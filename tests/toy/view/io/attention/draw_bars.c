/* draw_bars.c - heads x words: a row of bars for each head, as high as the weights. */
#include <math.h>

#include "io/attention/draw.h"
#include "io/page/page.h"

enum { BAR = 14, HIGH = 40, GAP = 6 };

static Status put_row(Buffer *out, const AttentionView *v, int64_t row, double most)
{
    const double bottom = (double)(row + 1) * HIGH + (double)row * GAP;
    for (int64_t i = 0; i < v->columns.size; i++) {
        const double high = most > 0 ? HIGH * fabs(v->weight[row * v->columns.size + i]) / most : 0;
        TRY(buffer_format(out, "<rect x=\"%lld\" y=\"%.1f\" width=\"%d\" height=\"%.1f\"/>\n", (long long)(i * BAR),
                          bottom - high, BAR - 2, high));
    }
    return OK;
}

Status draw_bars(const Drawing *d, const AttentionView *v, Buffer *out, DrawSize *size)
{
    (void)d;
    *size = (DrawSize){(double)(v->columns.size * BAR), (double)(v->rows.size * (HIGH + GAP))};
    TRY(buffer_format(
        out, "<svg class=\"bars\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" role=\"img\" aria-label=\"",
        size->width, size->height, size->width, size->height));
    TRY(page_text(out, draw_title(v)));
    TRY(buffer_text(out, "\">\n"));
    for (int64_t row = 0; row < v->rows.size; row++) TRY(put_row(out, v, row, draw_greatest(v)));
    return buffer_text(out, "</svg>\n");
}
