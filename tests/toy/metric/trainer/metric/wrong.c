/* wrong.c - how many examples were taken for something else. */
#include "trainer/metric/metric.h"

static int64_t counters(const Metric *m)
{
    (void)m;
    return 1;
}

static Status add(const Metric *m, int64_t *count, const MetricExample *e, Arena *scratch)
{
    (void)scratch;
    *count += !metric_same(m->shape, e);
    return OK;
}

static Status report(const Metric *m, const int64_t *count, Measures *out)
{
    (void)m;
    return measures_add(out, "wrong", (double)*count, false);
}

const MetricDef metric_wrong = {.name = "wrong",
                                .help = "Examples that were taken for something else.",
                                .counters = counters,
                                .add = add,
                                .report = report};
