/* metric.h - measures of an evaluation, counted in integers.
 *
 * A metric is a few counters, a rule how an example changes them, and a formula from counters to measures. Counters of
 * parts of a split add up to those of the whole, whatever the parts, so no measure depends on ranks, order or batches.
 * A metric is one file and one line in the table of metric.c. */
#ifndef TRAINER_METRIC_METRIC_H
#define TRAINER_METRIC_METRIC_H
#include "comm/arena.h"
#include "comm/comm.h"
#include "trainer/metric/measures.h"

typedef struct MetricShape {
    int64_t classes, groups;
    const char *const *class_name, *const *group_name; /* NULL: numbers */
    int64_t unknown;                                   /* a class that is never right: rare values; -1: none */
} MetricShape;

/* One prediction: the class of an example, or the word at one position of a sequence, whose positions come in order. */
typedef struct MetricExample {
    int32_t truth, guess; /* classes */
    int32_t group;
    double loss;          /* -log p(truth) */
    bool last, all_right; /* of a sequence: its last position; this and all positions before it are right */
} MetricExample;

typedef struct MetricDef {
    const char *name, *help;
    int64_t (*counters)(const MetricShape *s);
    void (*add)(const MetricShape *s, int64_t *count, const MetricExample *e);
    Status (*report)(const MetricShape *s, const int64_t *count, Measures *out);
} MetricDef;

const MetricDef *metric_find(const char *name); /* NULL when there is none */

enum { METRIC_SET = 8 };

/* The metrics of a task, their counters one behind the other. */
typedef struct MetricSet {
    MetricShape shape;
    int n;
    const MetricDef *def[METRIC_SET];
    int64_t offset[METRIC_SET], counters;
} MetricSet;

typedef struct Counts {
    int64_t n, *value;
} Counts;

/* names: NULL ends. ERR_INTERNAL for a name that is not in the table. */
NODISCARD Status metric_open(MetricSet *set, const MetricShape *shape, const char *const *names);
void metric_add(const MetricSet *set, Counts *c, const MetricExample *e);
NODISCARD Status metric_report(const MetricSet *set, const Counts *c, Measures *out);
/* The counters of one metric of the set; NULL when it is not one of them. */
const int64_t *metric_counters(const MetricSet *set, const Counts *c, const char *name);

NODISCARD Status counts_open(Counts **out, Arena *arena, int64_t n); /* all 0 */
void counts_clear(Counts *c);
/* [collective] The sum over all ranks, on every rank. */
NODISCARD Status counts_reduce(Counts *c, Comm *comm);

bool metric_right(const MetricShape *s, const MetricExample *e);
/* "prefix/NAME of i", or "prefix/i" without names, into text. */
void metric_label(char *text, size_t size, const char *prefix, const char *const *names, int64_t i);

#endif
