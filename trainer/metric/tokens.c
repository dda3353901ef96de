/* tokens.c - share of the positions whose likeliest word is the true one, given the true words before it. */
#include "trainer/metric/metric.h"

#include <math.h>

enum { RIGHT, TOKENS, COUNTERS };

static int64_t counters(const MetricShape *s)
{
    (void)s;
    return COUNTERS;
}

static void add(const MetricShape *s, int64_t *count, const MetricExample *e)
{
    count[RIGHT] += metric_right(s, e);
    count[TOKENS]++;
}

static Status report(const MetricShape *s, const int64_t *count, Measures *out)
{
    (void)s;
    const double tokens = (double)count[TOKENS];
    TRY(measures_add(out, "token_accuracy", count[TOKENS] ? (double)count[RIGHT] / tokens : (double)NAN, true));
    return measures_add(out, "tokens", tokens, true);
}

const MetricDef metric_tokens = {"tokens", "Share of the words of sequences that are right.", counters, add, report};
