/* groups.c - error of each group of examples (a bAbI task), their mean, and the groups that failed: error above 5 %
 * (Weston 2015). Groups without examples do not count. */
#include "trainer/metric/metric.h"

#include <math.h>

enum { WRONG, EXAMPLES, COUNTERS, LISTED = 64 };

static int64_t counters(const MetricShape *s) { return COUNTERS * s->groups; }

static void add(const MetricShape *s, int64_t *count, const MetricExample *e)
{
    count[COUNTERS * e->group + WRONG] += !metric_right(s, e);
    count[COUNTERS * e->group + EXAMPLES]++;
}

static Status list(const MetricShape *s, const int64_t *count, Measures *out)
{
    int listed = 0;
    for (int64_t g = 0; g < s->groups && listed < LISTED; g++) {
        const int64_t *k = count + COUNTERS * g;
        if (k[EXAMPLES] == 0) continue;
        char name[MEASURE_NAME + 1];
        metric_label(name, sizeof name, "error", s->group_name, g);
        TRY(measures_add(out, name, (double)k[WRONG] / (double)k[EXAMPLES], false));
        listed++;
    }
    return OK;
}

static Status report(const MetricShape *s, const int64_t *count, Measures *out)
{
    double sum = 0;
    int64_t groups = 0, failed = 0;
    for (int64_t g = 0; g < s->groups; g++) {
        const int64_t *k = count + COUNTERS * g;
        if (k[EXAMPLES] == 0) continue;
        groups++;
        sum += (double)k[WRONG] / (double)k[EXAMPLES];
        failed += 20 * k[WRONG] > k[EXAMPLES];
    }
    TRY(measures_add(out, "mean_error", groups ? sum / (double)groups : (double)NAN, false));
    TRY(measures_add(out, "failed", (double)failed, false));
    return groups > 1 ? list(s, count, out) : OK;
}

const MetricDef metric_groups = {"groups", "Error by group, their mean, groups with more than 5 % error.", counters,
                                 add, report};
