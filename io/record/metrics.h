/* metrics.h - what a run measured: metrics.jsonl, metrics.csv and TensorBoard events, in the run's folder.
 *
 * A resumed run cuts off what was written after its checkpoint's step, and at the end of the training (kinds that begin
 * with final_), so that the records are those of a run that was never interrupted: so write all rows of a step, and
 * metrics_sync, before the checkpoint of that step. */
#ifndef IO_RECORD_METRICS_H
#define IO_RECORD_METRICS_H
#include "comm/arena.h"
#include "io/record/events_run.h"

typedef struct Metrics Metrics;

typedef struct MetricsRow {
    int64_t step;
    double epoch;
    const char *kind; /* train, valid, test */
    double time;      /* seconds since 1970, UTC */
    int n;
    const char *const *name; /* of letters, digits, '_' and '/' */
    const double *value;     /* not finite: null in JSON, nan or inf in CSV */
} MetricsRow;

/* What a model made of an example: in metrics.jsonl, and together as one text of the events. */
typedef struct MetricsSample {
    int64_t example;
    const char *source, *target, *output;
} MetricsSample;

#define METRICS_SAMPLE "sample" /* kind of their rows, which have a split */

enum { METRICS_CSV = 1, METRICS_EVENTS = 2, METRICS_ALL = 3 }; /* files besides metrics.jsonl */

/* files: a sum of these. The columns of the CSV that are known are named here, since its header comes first. last: the checkpoint's step, 0 for a new run
 * (rows up to it stay), -1 to keep nothing. */
NODISCARD Status metrics_open(Metrics **out, Arena *run, const char *folder, int files, int n_columns,
                              const char *const *column, int64_t last);
/* Columns that were not known when it was opened; there already: fine. */
NODISCARD Status metrics_columns(Metrics *m, int n, const char *const *column);
NODISCARD Status metrics_write(Metrics *m, const MetricsRow *row);
/* at: step, epoch, time and, as kind, the split. */
NODISCARD Status metrics_samples(Metrics *m, const MetricsRow *at, int64_t n, const MetricsSample *sample);
/* For the events alone. The settings: once, in a file that begins. */
NODISCARD Status metrics_settings(Metrics *m, double time, int n, const EventsSetting *setting, int n_measures,
                                  const char *const *measure);
NODISCARD Status metrics_histograms(Metrics *m, double time, int64_t step, const char *group, int n,
                                    const EventsHistogram *h);
NODISCARD Status metrics_sync(Metrics *m); /* on the disk, not only with the system */
NODISCARD Status metrics_close(Metrics *m);

#endif
