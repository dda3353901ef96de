/* step.c - factor = ratio^floor(epoch / every). */
#include <math.h>

#include "trainer/schedule/schedule.h"

typedef struct StepSettings {
    double every, ratio;
} StepSettings;

static const Field fields[] = {
    FIELD(StepSettings, every, .preset = "10", .min = 1e-3, .max = 1e9, .unit = "epochs",
          .help = "Time between two changes."),
    FIELD(StepSettings, ratio, .preset = "0.1", .min = 1e-6, .max = 1, .help = "The rate is multiplied by this."),
};

static double factor(const void *settings, const ScheduleClock *clock, const double *state)
{
    (void)state;
    const StepSettings *set = settings;
    return pow(set->ratio, floor(clock->epoch / set->every));
}

const ScheduleDef schedule_step = {.component = {.name = "step",
                                                 .help = "Lower the rate by a ratio every so many epochs.",
                                                 ROWS(fields, StepSettings)},
                                   .factor = factor};
