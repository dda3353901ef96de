/* groups.c - error of each group of examples (a bAbI task), their mean, and the groups that failed: error above 5 %
 * (Weston 2015). Groups without examples do not count. */
#include "trainer/metric/metric.h"

#include <math.h>

enum { WRONG, EXAMPLES, COUNTERS, LISTED = 64 };

static int64_t counters(const Metric *m) { return COUNTERS * m->shape->groups; }

static Status add(const Metric *m, int64_t *count, const MetricExample *e, Arena *scratch)
{
    (void)scratch;
    count[COUNTERS * e->group + WRONG] += !metric_same(m->shape, e);
    count[COUNTERS * e->group + EXAMPLES]++;
    return OK;
}

static Status list(const Metric *m, const int64_t *count, Measures *out)
{
    int listed = 0;
    for (int64_t g = 0; g < m->shape->groups && listed < LISTED; g++) {
        const int64_t *k = count + COUNTERS * g;
        if (k[EXAMPLES] == 0) continue;
        char name[MEASURE_NAME + 1];
        metric_label(name, sizeof name, "error", m->shape->group_name, g);
        TRY(measures_add(out, name, (double)k[WRONG] / (double)k[EXAMPLES], false));
        listed++;
    }
    return OK;
}

static Status report(const Metric *m, const int64_t *count, Measures *out)
{
    double sum = 0;
    int64_t groups = 0, failed = 0;
    for (int64_t g = 0; g < m->shape->groups; g++) {
        const int64_t *k = count + COUNTERS * g;
        if (k[EXAMPLES] == 0) continue;
        groups++;
        sum += (double)k[WRONG] / (double)k[EXAMPLES];
        failed += 20 * k[WRONG] > k[EXAMPLES];
    }
    TRY(measures_add(out, "mean_error", groups ? sum / (double)groups : (double)NAN, false));
    TRY(measures_add(out, "failed", (double)failed, false));
    return groups > 1 ? list(m, count, out) : OK;
}

const MetricDef metric_groups = {
    .name = "groups",
    .help = "Error by group, their mean, groups with more than 5 % error.",
    .counters = counters,
    .add = add,
    .report = report,
};
