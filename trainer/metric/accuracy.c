/* accuracy.c - share of the examples whose guess is the truth from end to end. */
#include "trainer/metric/metric.h"

enum { RIGHT, EXAMPLES, COUNTERS };

static int64_t counters(const Metric *m)
{
    (void)m;
    return COUNTERS;
}

static Status add(const Metric *m, int64_t *count, const MetricExample *e, Arena *scratch)
{
    (void)scratch;
    count[RIGHT] += metric_same(m->shape, e);
    count[EXAMPLES]++;
    return OK;
}

static Status report_as(const char *name, bool examples, const int64_t *count, Measures *out)
{
    TRY(measures_add(out, name, metric_share(count[RIGHT], count[EXAMPLES]), true));
    return examples ? measures_add(out, "examples", (double)count[EXAMPLES], true) : OK;
}

static Status report(const Metric *m, const int64_t *count, Measures *out)
{
    (void)m;
    return report_as("accuracy", true, count, out);
}

static Status report_sequences(const Metric *m, const int64_t *count, Measures *out)
{
    (void)m;
    return report_as("sequence_accuracy", true, count, out);
}

static Status report_exact(const Metric *m, const int64_t *count, Measures *out)
{
    (void)m;
    return report_as("exact", false, count, out);
}

const MetricDef metric_accuracy = {
    .name = "accuracy",
    .help = "Share of the examples that are right.",
    .counters = counters,
    .add = add,
    .report = report,
};
const MetricDef metric_sequences = {
    .name = "sequences",
    .help = "Share of the sequences that are right from end to end, given the true words before each.",
    .counters = counters,
    .add = add,
    .report = report_sequences,
};
const MetricDef metric_exact = {
    .name = "exact",
    .help = "Share of the examples that are right from end to end.",
    .counters = counters,
    .add = add,
    .report = report_exact,
};
