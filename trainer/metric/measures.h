/* measures.h - the figures that an evaluation ends with, in order: for the metrics files, the best checkpoint, early
 * stopping, the plateau schedule.
 *
 * A zeroed Measures is empty. It owns all it holds, so it may be copied and kept. */
#ifndef TRAINER_METRIC_MEASURES_H
#define TRAINER_METRIC_MEASURES_H
#include "comm/status.h"

enum { MEASURES_MAX = 160, MEASURE_NAME = 48 };

typedef struct Measure {
    char name[MEASURE_NAME]; /* "accuracy", "error/task 3", "f1/sports" */
    double value;
    bool higher; /* is better */
} Measure;

typedef struct Measures {
    int n;
    Measure item[MEASURES_MAX];
} Measures;

/* A name that is too long is cut, between characters, and one that was there before ends in ~2. ERR_INTERNAL when the list is full. */
NODISCARD Status measures_add(Measures *m, const char *name, double value, bool higher);
/* The measures from number first on get that before their names. */
void measures_prefix(Measures *m, int first, const char *prefix);
const Measure *measures_find(const Measures *m, const char *name); /* NULL when there is none */
const char *measures_nearest(const Measures *m, const char *name); /* NULL: none is near */
/* ERR_CONFIG, with the names that there are, when there is none. who: the setting that names it, "early.measure". */
NODISCARD Status measures_need(const Measure **out, const Measures *m, const char *name, const char *who);
/* Is value better than best by more than delta? A best that is NaN is none yet; a value that is NaN is never better. */
bool measures_better(double value, double best, bool higher, double delta);

#endif
