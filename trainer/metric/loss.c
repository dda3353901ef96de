/* loss.c - mean of -log p(truth) over the examples, or over the positions of all of them. */
#include "trainer/metric/exact.h"
#include "trainer/metric/metric.h"

#include <math.h>

enum { PLACES = EXACT_COUNTERS, COUNTERS };

static int64_t counters(const Metric *m)
{
    (void)m;
    return COUNTERS;
}

static Status add(const Metric *m, int64_t *count, const MetricExample *e, Arena *scratch)
{
    (void)m, (void)scratch;
    for (int64_t i = 0; i < e->n_losses; i++) exact_add(count, e->loss[i]);
    count[PLACES] += e->n_losses;
    return OK;
}

static double mean(const int64_t *count)
{
    return count[PLACES] ? exact_value(count) / (double)count[PLACES] : (double)NAN;
}

static Status report(const Metric *m, const int64_t *count, Measures *out)
{
    (void)m;
    return measures_add(out, "loss", mean(count), false);
}

/* exp(mean loss) */
static Status report_perplexity(const Metric *m, const int64_t *count, Measures *out)
{
    (void)m;
    return measures_add(out, "perplexity", exp(mean(count)), false);
}

const MetricDef metric_loss = {
    .name = "loss",
    .help = "Mean cross-entropy, in nats.",
    .counters = counters,
    .add = add,
    .report = report,
};
const MetricDef metric_perplexity = {
    .name = "perplexity",
    .help = "exp of the mean cross-entropy.",
    .counters = counters,
    .add = add,
    .report = report_perplexity,
};
