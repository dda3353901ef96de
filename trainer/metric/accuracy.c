/* accuracy.c - share of the examples whose guess is the truth. */
#include "trainer/metric/metric.h"

#include <math.h>

enum { RIGHT, EXAMPLES, COUNTERS };

static int64_t counters(const MetricShape *s)
{
    (void)s;
    return COUNTERS;
}

static void add(const MetricShape *s, int64_t *count, const MetricExample *e)
{
    count[RIGHT] += metric_right(s, e);
    count[EXAMPLES]++;
}

static Status report(const MetricShape *s, const int64_t *count, Measures *out)
{
    (void)s;
    const double examples = (double)count[EXAMPLES];
    TRY(measures_add(out, "accuracy", count[EXAMPLES] ? (double)count[RIGHT] / examples : (double)NAN, true));
    return measures_add(out, "examples", examples, true);
}

const MetricDef metric_accuracy = {"accuracy", "Share of the examples that are right.", counters, add, report};
