/* f1.c - F1 of a class = 2 tp / (2 tp + fp + fn); macro: its mean over all classes; micro: from the sums.
 *
 * A class that is neither a truth nor a guess anywhere has F1 0 and counts in the macro mean, as in scikit-learn's
 * f1_score(labels=all classes, average="macro", zero_division=0). With one guess an example, micro-F1 is the
 * accuracy. */
#include "trainer/metric/metric.h"

#include <math.h>

enum { HIT, TRUTH, GUESS, COUNTERS, LISTED = 32 }; /* LISTED: more classes are not listed one by one */

static int64_t counters(const MetricShape *s) { return COUNTERS * s->classes; }

static void add(const MetricShape *s, int64_t *count, const MetricExample *e)
{
    count[COUNTERS * e->truth + HIT] += metric_right(s, e);
    count[COUNTERS * e->truth + TRUTH]++;
    count[COUNTERS * e->guess + GUESS]++;
}

/* tp + fn = truths, tp + fp = guesses */
static double f1(int64_t hits, int64_t truths, int64_t guesses)
{
    return truths + guesses ? 2 * (double)hits / (double)(truths + guesses) : 0;
}

static Status report(const MetricShape *s, const int64_t *count, Measures *out)
{
    double sum = 0;
    int64_t all[COUNTERS] = {0};
    for (int64_t c = 0; c < s->classes; c++) {
        const int64_t *k = count + COUNTERS * c;
        sum += f1(k[HIT], k[TRUTH], k[GUESS]);
        for (int i = 0; i < COUNTERS; i++) all[i] += k[i];
    }
    const bool none = all[TRUTH] == 0;
    TRY(measures_add(out, "macro_f1", none ? (double)NAN : sum / (double)s->classes, true));
    TRY(measures_add(out, "micro_f1", none ? (double)NAN : f1(all[HIT], all[TRUTH], all[GUESS]), true));
    for (int64_t c = 0; s->classes <= LISTED && c < s->classes; c++) {
        const int64_t *k = count + COUNTERS * c;
        char name[MEASURE_NAME + 1];
        metric_label(name, sizeof name, "f1", s->class_name, c);
        TRY(measures_add(out, name, f1(k[HIT], k[TRUTH], k[GUESS]), true));
    }
    return OK;
}

const MetricDef metric_f1 = {"f1", "F1 by class, their mean, and F1 of all together.", counters, add, report};
