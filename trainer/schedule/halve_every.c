/* halve_every.c - factor = 2^-floor(min(epoch - after, until) / every) once `after` epochs are over, `before` until
 * then.
 *
 * The published trainings of memory networks give the linear start 30 epochs at half the rate, then begin anew. */
#include <math.h>

#include "trainer/schedule/schedule.h"

typedef struct HalveSettings {
    double every, until, after, before;
} HalveSettings;

static const Field fields[] = {
    FIELD(HalveSettings, every, .preset = "25", .min = 1e-3, .max = 1e9, .unit = "epochs",
          .help = "Time between two halvings."),
    FIELD(HalveSettings, until, .preset = "100", .min = 0, .max = 1e9, .unit = "epochs",
          .help = "No halving after this."),
    FIELD(HalveSettings, after, .preset = "0", .max = 1e9, .unit = "epochs",
          .help = "Epochs before the schedule begins, such as those of a linear start."),
    FIELD(HalveSettings, before, .preset = "1", .min = 1e-6, .max = 1e6, .help = "Factor until then."),
};

static double factor(const void *settings, const ScheduleClock *clock, const double *state)
{
    (void)state;
    const HalveSettings *set = settings;
    if (clock->epoch < set->after) return set->before;
    return ldexp(1, -(int)fmin(floor(fmin(clock->epoch - set->after, set->until) / set->every), 1000));
}

const ScheduleDef schedule_halve_every = {.component = {.name = "halve_every",
                                                        .help = "Halve the rate every so many epochs, up to an end.",
                                                        .source = "Sukhbaatar et al. 2015",
                                                        ROWS(fields, HalveSettings)},
                                          .factor = factor};
