/* confusion.c - count[truth][guess], (C,C). No measure of its own: it is drawn. Not counted for very many classes. */
#include "trainer/metric/metric.h"

enum { MOST = 1024 };

static int64_t counters(const Metric *m)
{
    const int64_t C = m->shape->classes;
    return C <= MOST ? C * C : 0;
}

static Status add(const Metric *m, int64_t *count, const MetricExample *e, Arena *scratch)
{
    const int64_t C = m->shape->classes;
    (void)scratch;
    for (int64_t i = 0; C <= MOST && i < e->truth.n; i++) count[e->truth.id[i] * C + e->guess.id[i]]++;
    return OK;
}

static Status report(const Metric *m, const int64_t *count, Measures *out)
{
    (void)m, (void)count, (void)out;
    return OK;
}

const MetricDef metric_confusion = {
    .name = "confusion",
    .help = "How often each class was taken for each.",
    .counters = counters,
    .add = add,
    .report = report,
};
