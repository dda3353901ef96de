/* local_m.c - positions p - D .. p + D with p = t: source and target are taken to run side by side (Luong 2015).
 *
 * The window is cut at both ends of the source. Beyond the source's end p stays at the last position, so that a query
 * always sees something. */
#include "trainer/attention/range/range.h"

static Status build(Range *r, Params *ps, const char *path)
{
    (void)r, (void)ps, (void)path;
    return OK;
}

static Status open(RangeRun *r)
{
    (void)r;
    return OK;
}

static void forward(RangeRun *r, const RangeStep *s)
{
    const int64_t D = r->range->window;
    for (int64_t i = 0; i < s->rows; i++) {
        const int64_t S = range_keys(r, s, i), p = s->step < S ? s->step : S - 1;
        s->first[i] = p > D ? p - D : 0;
        s->n[i] = S == 0 ? 0 : (p + D < S ? p + D + 1 : S) - s->first[i];
    }
}

const RangeDef range_local_m = {.name = "local_m",
                                .help = "positions t - D .. t + D of the source at position t of the output",
                                .source = "Luong 2015",
                                .window = true,
                                .build = build,
                                .open = open,
                                .forward = forward};
