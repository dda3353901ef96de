/* aer.c - alignment error rate of links that attention gave against those that people drew (alignment.h); examples
 * without any of theirs do not count. Nothing where no example has one. */
#include "io/attention/alignment.h"
#include "trainer/metric/metric.h"

enum { HITS_SURE, HITS_POSSIBLE, LINKS, SURE, COUNTERS };

static int64_t counters(const Metric *m)
{
    (void)m;
    return COUNTERS;
}

static Status add(const Metric *m, int64_t *count, const MetricExample *e, Arena *scratch)
{
    const AlignmentLinks links = {e->links.n, e->links.at};
    const AlignmentGold gold = {.sure = {e->sure.n, e->sure.at}, .possible = {e->possible.n, e->possible.at}};
    AlignmentCounts sum = {0};
    (void)m, (void)scratch;
    if (!e->links.at) return OK; /* nothing was looked at */
    (void)alignment_error(&gold, &links, &sum);
    count[HITS_SURE] += sum.hits_sure;
    count[HITS_POSSIBLE] += sum.hits_possible;
    count[LINKS] += sum.links;
    count[SURE] += sum.sure;
    return OK;
}

static Status report(const Metric *m, const int64_t *count, Measures *out)
{
    const AlignmentCounts sum = {count[HITS_SURE], count[HITS_POSSIBLE], count[LINKS], count[SURE]};
    return m->shape->links ? measures_add(out, "aer", alignment_rate(&sum), false) : OK;
}

const MetricDef metric_aer = {
    .name = "aer",
    .help = "Alignment error of the attention when the targets themselves are made.",
    .counters = counters,
    .add = add,
    .report = report,
};
