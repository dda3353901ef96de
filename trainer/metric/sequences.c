/* sequences.c - share of the sequences all of whose positions are right, given the true words before each. */
#include "trainer/metric/metric.h"

#include <math.h>

enum { RIGHT, SEQUENCES, COUNTERS };

static int64_t counters(const MetricShape *s)
{
    (void)s;
    return COUNTERS;
}

static void add(const MetricShape *s, int64_t *count, const MetricExample *e)
{
    (void)s;
    count[RIGHT] += e->last && e->all_right;
    count[SEQUENCES] += e->last;
}

static Status report(const MetricShape *s, const int64_t *count, Measures *out)
{
    (void)s;
    const double n = (double)count[SEQUENCES];
    TRY(measures_add(out, "sequence_accuracy", count[SEQUENCES] ? (double)count[RIGHT] / n : (double)NAN, true));
    return measures_add(out, "examples", n, true);
}

const MetricDef metric_sequences = {"sequences", "Share of the sequences that are right from end to end.", counters,
                                    add, report};
