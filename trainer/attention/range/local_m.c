/* local_m.c - positions p - D .. p + D with p = t: source and target are taken to run side by side (Luong 2015).
 *
 * The window is cut at both ends of the source. Beyond the source's end p stays at the last position, so that a query
 * always sees something. */
#include "trainer/attention/range/range.h"

static void forward(RangeRun *r, const RangeBlock *b)
{
    const int64_t D = range_window(r->range);
    for (int64_t i = 0; i < b->rows; i++) {
        const int64_t S = range_keys(r, b, i), t = range_position(b, i), p = t < S ? t : S - 1;
        b->first[i] = p > D ? p - D : 0;
        b->n[i] = S == 0 ? 0 : (p + D < S ? p + D + 1 : S) - b->first[i];
    }
}

const RangeDef range_local_m = {
    .component = {.name = "local_m",
                  .help = "positions t - D .. t + D of the keys at position t of the queries.",
                  .source = "Luong 2015",
                  .fields = range_window_rows,
                  .n_fields = RANGE_WINDOW_ROWS,
                  .size = sizeof(WindowSettings)},
    .window = true,
    .positions = true,
    .forward = forward};
