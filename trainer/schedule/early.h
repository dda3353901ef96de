/* early.h - stop when a measure of the validation has not become better for some time.
 *
 * The state is doubles, for the checkpoint: a resumed run goes on counting where it was. */
#ifndef TRAINER_SCHEDULE_EARLY_H
#define TRAINER_SCHEDULE_EARLY_H
#include "io/config/schema.h"
#include "trainer/metric/measures.h"

/* The section `early`. */
typedef struct EarlySettings {
    int64_t patience;
    double min_delta;
    const char *measure;
} EarlySettings;
extern const Section early_section;

enum { EARLY_BEST, EARLY_BAD, EARLY_STATE };

typedef struct Early {
    const EarlySettings *settings;
    double state[EARLY_STATE]; /* best value (NaN: none yet); validations since without progress */
} Early;

void early_open(Early *e, const EarlySettings *settings);
/* After a validation: *stop when there is no patience left. ERR_CONFIG when the task has no such measure. */
NODISCARD Status early_observe(Early *e, const Measures *m, bool *stop);
bool early_over(const Early *e); /* there is no patience left, by the settings of now */
/* The best so far does not count any more: the model changed what it computes. */
void early_forget(Early *e);

#endif
