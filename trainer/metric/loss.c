/* loss.c - mean of -log p(truth) over the examples. */
#include "trainer/metric/exact.h"
#include "trainer/metric/metric.h"

#include <math.h>

enum { EXAMPLES = EXACT_COUNTERS, COUNTERS };

static int64_t counters(const MetricShape *s)
{
    (void)s;
    return COUNTERS;
}

static void add(const MetricShape *s, int64_t *count, const MetricExample *e)
{
    (void)s;
    exact_add(count, e->loss);
    count[EXAMPLES]++;
}

static double mean(const int64_t *count)
{
    return count[EXAMPLES] ? exact_value(count) / (double)count[EXAMPLES] : (double)NAN;
}

static Status report(const MetricShape *s, const int64_t *count, Measures *out)
{
    (void)s;
    return measures_add(out, "loss", mean(count), false);
}

/* exp(mean loss) */
static Status report_perplexity(const MetricShape *s, const int64_t *count, Measures *out)
{
    (void)s;
    return measures_add(out, "perplexity", exp(mean(count)), false);
}

const MetricDef metric_loss = {"loss", "Mean cross-entropy, in nats.", counters, add, report};
const MetricDef metric_perplexity = {"perplexity", "exp of the mean cross-entropy.", counters, add, report_perplexity};
