/* causal.c - a query looks at the positions of its own sequence up to its own: nothing of the future is known (Vaswani
 * 2017). */
#include "trainer/attention/range/range.h"

static void forward(RangeRun *r, const RangeBlock *b)
{
    for (int64_t i = 0; i < b->rows; i++) {
        const int64_t S = range_keys(r, b, i), t = range_position(b, i);
        b->first[i] = 0;
        b->n[i] = t < S ? t + 1 : S;
    }
}

const RangeDef range_causal = {.component = {.name = "causal",
                                             .help = "positions 0 .. t of the same sequence at position t.",
                                             .source = "Vaswani 2017"},
                               .positions = true,
                               .within = true,
                               .forward = forward};
