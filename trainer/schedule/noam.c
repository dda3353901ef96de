/* noam.c - factor = width^-0.5 min(t^-0.5, t warmup^-1.5), t = 1, 2, ... */
#include <math.h>

#include "trainer/schedule/schedule.h"

typedef struct NoamSettings {
    int64_t width;
} NoamSettings;

static const Field fields[] = {
    FIELD(NoamSettings, width, .preset = "512", .min = 1, .max = 1e6, .unit = "units",
          .help =
              "Width of the model; schedule.warmup is 4000 steps when it is 0, and optim.lr is a factor, mostly 1."),
};

static double factor(const void *settings, const ScheduleClock *clock, const double *state)
{
    (void)state;
    const double t = (double)(clock->step + 1), warmup = clock->warmup ? (double)clock->warmup : 4000;
    return pow((double)((const NoamSettings *)settings)->width, -0.5) * fmin(pow(t, -0.5), t * pow(warmup, -1.5));
}

const ScheduleDef schedule_noam = {.component = {.name = "noam",
                                                 .help = "Up in a line, then down with the root of the steps.",
                                                 .source = "Vaswani et al. 2017",
                                                 ROWS(fields, NoamSettings)},
                                   .factor = factor,
                                   .own_warmup = true};
