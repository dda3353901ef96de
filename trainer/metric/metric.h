/* metric.h - measures of an evaluation, counted in integers.
 *
 * A metric is a few counters, a rule how an example changes them, and a formula from counters to measures. Counters of
 * parts of a split add up to those of the whole, whatever the parts, so no measure depends on ranks, order or batches.
 * A metric is one file and one line in the table of metric.c. */
#ifndef TRAINER_METRIC_METRIC_H
#define TRAINER_METRIC_METRIC_H
#include "comm/arena.h"
#include "comm/comm.h"
#include "io/text/segment.h"
#include "trainer/metric/measures.h"

typedef struct MetricShape {
    int64_t classes, groups;                           /* ids that there are */
    const char *const *class_name, *const *group_name; /* NULL: numbers, as those of groups whose name is NULL */
    int64_t unknown;                                   /* a class that is never right: rare values; -1: none */
    bool links;                                        /* people have linked words of the examples */
} MetricShape;

/* What an example is, or what it was taken for. */
typedef struct MetricSide {
    int64_t n;
    const int32_t *id;   /* (n) its class; or its labels, ascending; or the word or tag at each position */
    const double *value; /* (n) numbers instead of ids */
    int64_t words;
    Word text; /* words with spaces between; of metrics that ask for texts */
} MetricSide;

/* Links between words of the source and of the target, two numbers each. */
typedef struct MetricLinks {
    int64_t n;
    const int64_t *at; /* (n,2) */
} MetricLinks;

typedef struct MetricExample {
    MetricSide truth, guess;
    int64_t n_losses;
    const double *loss; /* (n_losses) of each thing that the loss is a mean over: the example, or its positions */
    double probability; /* of the guess as a whole; 0: not known */
    int32_t group;
    int64_t index;                     /* of the example in its split */
    Word source;                       /* what was given, of metrics that ask for it */
    bool cut;                          /* the guess's end was forced */
    MetricLinks links, sure, possible; /* the guess's, and those of people */
} MetricExample;

typedef struct MetricDef MetricDef;

/* A metric of a set. */
typedef struct Metric {
    const MetricDef *def;
    const MetricShape *shape;
    void *state;    /* its own */
    int64_t offset; /* of its counters */
} Metric;

struct MetricDef {
    const char *name, *help;
    bool texts, source;                    /* it reads the sides' texts and words; the text of the source */
    Status (*open)(Metric *m, Arena *run); /* makes the state; NULL: there is none */
    int64_t (*counters)(const Metric *m);  /* how many, after open */
    Status (*add)(const Metric *m, int64_t *count, const MetricExample *e, Arena *scratch);
    Status (*report)(const Metric *m, const int64_t *count, Measures *out);
};

const MetricDef *metric_choice(int i);          /* the family: NULL after the last */
const MetricDef *metric_find(const char *name); /* NULL when there is none */
const char *metric_text(int i);                 /* those of generated text; NULL after the last */

enum { METRIC_SET = 16 };

/* Some metrics, their counters one behind the other. Not to be moved: the metrics know its shape. */
typedef struct MetricSet {
    MetricShape shape;
    const char *prefix; /* of the names of its measures; NULL: none */
    int n;
    Metric item[METRIC_SET];
    int64_t counters;
    bool texts, source; /* some metric reads them */
} MetricSet;

typedef struct Counts {
    int64_t n, *value;
} Counts;

/* names: NULL ends. ERR_INTERNAL for a name that is not in the table. */
NODISCARD Status metric_open(MetricSet *set, Arena *run, const MetricShape *shape, const char *const *names,
                             const char *prefix);
/* One example more. scratch: memory that is given back. */
NODISCARD Status metric_add(const MetricSet *set, Counts *c, const MetricExample *e, Arena *scratch);
NODISCARD Status metric_report(const MetricSet *set, const Counts *c, Measures *out);
/* The counters of one metric of the set; NULL when it is not one of them, or counts nothing. */
const int64_t *metric_counters(const MetricSet *set, const Counts *c, const char *name);

NODISCARD Status counts_open(Counts **out, Arena *arena, int64_t n); /* all 0 */
void counts_clear(Counts *c);
/* [collective] The sum over all ranks, on every rank. */
NODISCARD Status counts_reduce(Counts *c, Comm *comm);

/* Is the guess at place i the truth? Both sides must have it. */
bool metric_right(const MetricShape *s, const MetricExample *e, int64_t i);
/* Are both sides the same from end to end? */
bool metric_same(const MetricShape *s, const MetricExample *e);
/* part / whole; NaN when there is no whole. */
double metric_share(int64_t part, int64_t whole);
/* "prefix/NAME of i", or "prefix/i" without a name, into text. */
void metric_label(char *text, size_t size, const char *prefix, const char *const *names, int64_t i);

#endif
