/* curves.h - the numbers of metrics.jsonl as series: one for each measure and kind (train, valid, test). */
#ifndef IO_RECORD_CURVES_H
#define IO_RECORD_CURVES_H
#include "comm/arena.h"
#include "io/record/metrics.h"

enum { CURVES_MAX = 512, CURVES_SAMPLES = 16 };

typedef struct Curve {
    const char *name, *kind;
    int64_t n, room;
    double *step, *value; /* (n) ascending steps; values that are null in the file are nan */
} Curve;

typedef struct Curves {
    int n;
    Curve curve[CURVES_MAX]; /* in the order in which they first come */
    int64_t lines, skipped;  /* lines that are no records of ours are skipped */
    double first_time, last_time;
    int64_t last_step;
    double last_epoch;
    int n_samples; /* what the model made when it was asked last; the first ones */
    int64_t sample_step;
    MetricsSample sample[CURVES_SAMPLES];
} Curves;

/* Fine when the file is not there: then there are no curves. */
NODISCARD Status curves_read(Curves *c, Arena *arena, const char *path);
const Curve *curves_find(const Curves *c, const char *name, const char *kind); /* NULL when there is none */

#endif
