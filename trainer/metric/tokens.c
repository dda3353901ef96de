/* tokens.c - share of the positions whose likeliest word is the true one; of words, given the true ones before it. */
#include "trainer/metric/metric.h"

enum { RIGHT, TOKENS, COUNTERS };

static int64_t counters(const Metric *m)
{
    (void)m;
    return COUNTERS;
}

static Status add(const Metric *m, int64_t *count, const MetricExample *e, Arena *scratch)
{
    (void)scratch;
    for (int64_t i = 0; i < e->truth.n; i++) count[RIGHT] += metric_right(m->shape, e, i);
    count[TOKENS] += e->truth.n;
    return OK;
}

static Status report(const Metric *m, const int64_t *count, Measures *out)
{
    (void)m;
    TRY(measures_add(out, "token_accuracy", metric_share(count[RIGHT], count[TOKENS]), true));
    return measures_add(out, "tokens", (double)count[TOKENS], true);
}

const MetricDef metric_tokens = {
    .name = "tokens",
    .help = "Share of the positions of sequences that are right.",
    .counters = counters,
    .add = add,
    .report = report,
};
