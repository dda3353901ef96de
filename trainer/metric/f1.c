/* f1.c - F1 of a class = 2 tp / (2 tp + fp + fn); macro: its mean over all classes; micro: from the sums.
 *
 * A class that is neither a truth nor a guess anywhere has F1 0 and counts in the macro mean, as in scikit-learn's
 * f1_score(labels=all classes, average="macro", zero_division=0). With one guess an example, micro-F1 is the
 * accuracy; with several labels, hits are those that truth and guess have in common. */
#include "trainer/metric/metric.h"

#include <math.h>

enum { HIT, TRUTH, GUESS, COUNTERS, LISTED = 32 }; /* LISTED: more classes are not listed one by one */

static int64_t counters(const Metric *m) { return COUNTERS * m->shape->classes; }

static bool among(const MetricSide *s, int32_t id)
{
    for (int64_t i = 0; i < s->n; i++)
        if (s->id[i] == id) return true;
    return false;
}

/* The labels of both are sets; a class alone is a set of one. */
static Status add(const Metric *m, int64_t *count, const MetricExample *e, Arena *scratch)
{
    (void)scratch;
    for (int64_t i = 0; i < e->truth.n; i++) {
        count[COUNTERS * e->truth.id[i] + HIT] +=
            among(&e->guess, e->truth.id[i]) && e->truth.id[i] != m->shape->unknown;
        count[COUNTERS * e->truth.id[i] + TRUTH]++;
    }
    for (int64_t i = 0; i < e->guess.n; i++) count[COUNTERS * e->guess.id[i] + GUESS]++;
    return OK;
}

/* tp + fn = truths, tp + fp = guesses */
static double f1(int64_t hits, int64_t truths, int64_t guesses)
{
    return truths + guesses ? 2 * (double)hits / (double)(truths + guesses) : 0;
}

static Status report(const Metric *m, const int64_t *count, Measures *out)
{
    double sum = 0;
    int64_t all[COUNTERS] = {0};
    for (int64_t c = 0; c < m->shape->classes; c++) {
        const int64_t *k = count + COUNTERS * c;
        sum += f1(k[HIT], k[TRUTH], k[GUESS]);
        for (int i = 0; i < COUNTERS; i++) all[i] += k[i];
    }
    const bool none = all[TRUTH] == 0;
    TRY(measures_add(out, "macro_f1", none ? (double)NAN : sum / (double)m->shape->classes, true));
    TRY(measures_add(out, "micro_f1", none ? (double)NAN : f1(all[HIT], all[TRUTH], all[GUESS]), true));
    for (int64_t c = 0; m->shape->classes <= LISTED && c < m->shape->classes; c++) {
        const int64_t *k = count + COUNTERS * c;
        char name[MEASURE_NAME + 1];
        metric_label(name, sizeof name, "f1", m->shape->class_name, c);
        TRY(measures_add(out, name, f1(k[HIT], k[TRUTH], k[GUESS]), true));
    }
    return OK;
}

const MetricDef metric_f1 = {
    .name = "f1",
    .help = "F1 by class, their mean, and F1 of all together.",
    .counters = counters,
    .add = add,
    .report = report,
};
