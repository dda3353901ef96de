/* global.c - a query looks at all positions. */
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
    for (int64_t i = 0; i < s->rows; i++) {
        s->first[i] = 0;
        s->n[i] = range_keys(r, s, i);
    }
}

const RangeDef range_global = {.name = "global",
                               .help = "all positions",
                               .source = "Bahdanau 2015",
                               .build = build,
                               .open = open,
                               .forward = forward};
