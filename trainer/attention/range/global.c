/* global.c - a query looks at all positions. */
#include "trainer/attention/range/range.h"

static void forward(RangeRun *r, const RangeBlock *b)
{
    for (int64_t i = 0; i < b->rows; i++) {
        b->first[i] = 0;
        b->n[i] = range_keys(r, b, i);
    }
}

const RangeDef range_global = {.component = {.name = "global", .help = "all positions.", .source = "Bahdanau 2015"},
                               .forward = forward};
