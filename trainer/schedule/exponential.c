/* exponential.c - factor = ratio^epoch, a little at every step. */
#include <math.h>

#include "trainer/schedule/schedule.h"

typedef struct ExponentialSettings {
    double ratio;
} ExponentialSettings;

static const Field fields[] = {
    FIELD(ExponentialSettings, ratio, .preset = "0.95", .min = 1e-6, .max = 1,
          .help = "Over one epoch the rate is multiplied by this."),
};

static double factor(const void *settings, const ScheduleClock *clock, const double *state)
{
    (void)state;
    return pow(((const ExponentialSettings *)settings)->ratio, clock->epoch);
}

const ScheduleDef schedule_exponential = {.component = {.name = "exponential",
                                                        .help = "Lower the rate by a ratio over each epoch, evenly.",
                                                        ROWS(fields, ExponentialSettings)},
                                          .factor = factor};
