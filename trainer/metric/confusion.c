/* confusion.c - count[truth][guess], (C,C). No measure of its own: it is drawn. Not counted for very many classes. */
#include "trainer/metric/metric.h"

enum { MOST = 1024 };

static int64_t counters(const MetricShape *s) { return s->classes <= MOST ? s->classes * s->classes : 0; }

static void add(const MetricShape *s, int64_t *count, const MetricExample *e)
{
    if (s->classes <= MOST) count[e->truth * s->classes + e->guess]++;
}

static Status report(const MetricShape *s, const int64_t *count, Measures *out)
{
    (void)s, (void)count, (void)out;
    return OK;
}

const MetricDef metric_confusion = {"confusion", "How often each class was taken for each.", counters, add, report};
