/* schedule.h - the step size as a function of how far the training is.
 *
 * Pure: rate = base * factor, where the factor hangs on the number of updates and epochs of the whole run, on whatever
 * ranks; only `plateau` has a state, which a checkpoint keeps. A schedule is one file and one line in the table of
 * schedule.c. */
#ifndef TRAINER_SCHEDULE_SCHEDULE_H
#define TRAINER_SCHEDULE_SCHEDULE_H
#include "comm/arena.h"
#include "io/config/schema.h"
#include "trainer/metric/measures.h"

enum { SCHEDULE_STATE = 4 };

/* The rows of the section `schedule` that are there whatever is chosen. */
typedef struct ScheduleSettings {
    int64_t warmup;
} ScheduleSettings;
extern const Section schedule_section;

typedef struct ScheduleClock {
    int64_t step;   /* updates before this one; behind the warm-up, counted from its end */
    int64_t steps;  /* of the whole schedule, likewise; 0: not known */
    int64_t warmup; /* the setting */
    double epoch;   /* epochs before this update; its whole part is the epoch's number */
} ScheduleClock;

typedef struct ScheduleDef {
    Component component; /* first: the family's table is one of components */
    double (*factor)(const void *settings, const ScheduleClock *clock, const double *state);
    int64_t (*steps)(const void *settings);       /* its own length, 0: that of the training; NULL: needs none */
    bool own_warmup;                              /* factor does the warm-up itself, on a clock from 0 */
    const char *(*watches)(const void *settings); /* the measure; NULL: none */
    void (*start)(double *state);                 /* these three: NULL without a state */
    Status (*observe)(const void *settings, double *state, const Measures *m);
    void (*forget)(double *state);
} ScheduleDef;

typedef struct Schedule {
    const ScheduleDef *def;
    const void *settings;
    int64_t warmup, steps;
    double state[SCHEDULE_STATE]; /* part of a checkpoint */
} Schedule;

const Component *schedule_choice(int i); /* the family: NULL after the last */

enum { SCHEDULE_LATER = -1 };
/* settings: the component's struct, borrowed. steps: as for schedule_plan; SCHEDULE_LATER: that comes before any rate. */
NODISCARD Status schedule_open(Schedule *s, const Component *c, const void *settings, const ScheduleSettings *shared,
                               int64_t steps);
/* steps: updates of the whole training, those that are done already and those that are left; 0: not known. ERR_CONFIG
 * when the schedule has to know and neither it nor the training says. */
NODISCARD Status schedule_plan(Schedule *s, int64_t steps);
/* The rate of the update before which `step` updates and `epoch` epochs (with their fraction) were done. */
double schedule_rate(const Schedule *s, double base, int64_t step, double epoch);
/* After a validation. ERR_CONFIG when the measure that the schedule watches is not among them. */
NODISCARD Status schedule_observe(Schedule *s, const Measures *m);
/* The best so far does not count any more: the model changed what it computes. The rate stays. */
void schedule_forget(Schedule *s);

#endif
