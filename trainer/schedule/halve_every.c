/* halve_every.c - factor = 2^-floor(min(epoch, until) / every). */
#include <math.h>

#include "trainer/schedule/schedule.h"

typedef struct HalveSettings {
    double every, until;
} HalveSettings;

static const Field fields[] = {
    FIELD(HalveSettings, every, .preset = "25", .min = 1e-3, .max = 1e9, .unit = "epochs",
          .help = "Time between two halvings."),
    FIELD(HalveSettings, until, .preset = "100", .min = 0, .max = 1e9, .unit = "epochs",
          .help = "No halving after this."),
};

static double factor(const void *settings, const ScheduleClock *clock, const double *state)
{
    (void)state;
    const HalveSettings *set = settings;
    return ldexp(1, -(int)fmin(floor(fmin(clock->epoch, set->until) / set->every), 1000));
}

const ScheduleDef schedule_halve_every = {
    .component = {"halve_every", "Halve the rate every so many epochs, up to an end.", "Sukhbaatar et al. 2015", fields,
                  COUNT(fields), sizeof(HalveSettings)},
    .factor = factor};
