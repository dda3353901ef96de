/* events_run.h - what else TensorBoard shows of a run: its settings beside its measures (the page HPARAMS), and the spread
 * of parameters and gradients (HISTOGRAMS).
 *
 * A value (events.h) of settings has the tag _hparams_/experiment or _hparams_/session_start_info, an empty tensor (8) and
 * metadata (9): plugin_data (1): plugin_name (1, "hparams"), content (2), which is a HParamsPluginData: version (1, 0) and
 * experiment (2): hparam_infos (4): name (1), type (4); metric_infos (5): name (1): tag (2); or session_start_info (3):
 * hparams (1, a map of google.protobuf.Value), group_name (4), start_time_secs (5). A histogram has histo (5): min (1), max
 * (2), num (3), sum (4), sum_squares (5), bucket_limit (6), bucket (7), all doubles. */
#ifndef IO_RECORD_EVENTS_RUN_H
#define IO_RECORD_EVENTS_RUN_H
#include "comm/arena.h"

typedef struct EventsSetting {
    const char *name; /* "optim.lr" */
    enum { EVENTS_TEXT = 1, EVENTS_BOOL, EVENTS_NUMBER } kind;
    const char *text;
    double number; /* also of a bool */
} EventsSetting;

/* Two records. measure: tags of scalars, "valid/accuracy". */
NODISCARD Status events_settings(Buffer *out, double wall_time, int n, const EventsSetting *setting, int n_measures,
                                 const char *const *measure);

enum { EVENTS_BUCKETS = 60 };

typedef struct EventsHistogram {
    const char *name;
    double low, high, n, sum, squares;
    double count[EVENTS_BUCKETS]; /* of equal width from low to high */
} EventsHistogram;

/* First events_spread with all values, then events_fill with them again; what is not finite does not count. */
void events_spread(EventsHistogram *h, double value);
void events_fill(EventsHistogram *h, double value);
/* A record of those that hold values; tags are "group/name". */
NODISCARD Status events_histograms(Buffer *out, double wall_time, int64_t step, const char *group, int n,
                                   const EventsHistogram *h);

#endif
