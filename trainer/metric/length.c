/* length.c - how long outputs are: their words to those of the targets, and how many had to be cut. */
#include "trainer/metric/metric.h"

enum { PART, WHOLE, COUNTERS };

static int64_t counters(const Metric *m)
{
    (void)m;
    return COUNTERS;
}

static Status add(const Metric *m, int64_t *count, const MetricExample *e, Arena *scratch)
{
    (void)m, (void)scratch;
    count[PART] += e->guess.words;
    count[WHOLE] += e->truth.words;
    return OK;
}

static Status add_cut(const Metric *m, int64_t *count, const MetricExample *e, Arena *scratch)
{
    (void)m, (void)scratch;
    count[PART] += e->cut;
    count[WHOLE]++;
    return OK;
}

static Status report(const Metric *m, const int64_t *count, Measures *out)
{
    (void)m;
    return measures_add(out, "length", count[WHOLE] ? metric_share(count[PART], count[WHOLE]) : 0, true);
}

static Status report_cut(const Metric *m, const int64_t *count, Measures *out)
{
    (void)m;
    return measures_add(out, "cut", metric_share(count[PART], count[WHOLE]), false);
}

const MetricDef metric_length = {
    .name = "length",
    .help = "Words of the outputs to those of the targets.",
    .texts = true,
    .counters = counters,
    .add = add,
    .report = report,
};
const MetricDef metric_cut = {
    .name = "cut",
    .help = "Share of the outputs that had to be cut.",
    .counters = counters,
    .add = add_cut,
    .report = report_cut,
};
