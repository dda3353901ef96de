/* linear.c - factor = 1 - (1 - last) x, x the share of the steps behind the warm-up that is done. */
#include "trainer/schedule/schedule.h"

typedef struct LinearSettings {
    int64_t steps;
    double last;
} LinearSettings;

static const Field fields[] = {
    FIELD(LinearSettings, steps, .preset = "0", .min = 0, .max = 1e12, .unit = "steps",
          .help = "Length of the line with its warm-up; 0: the whole training."),
    FIELD(LinearSettings, last, .preset = "0", .min = 0, .max = 1,
          .help = "Share of the rate that is left at the end."),
};

static double factor(const void *settings, const ScheduleClock *clock, const double *state)
{
    (void)state;
    const double x = clock->step < clock->steps ? (double)clock->step / (double)clock->steps : 1;
    return 1 - (1 - ((const LinearSettings *)settings)->last) * x;
}

static int64_t steps(const void *settings) { return ((const LinearSettings *)settings)->steps; }

const ScheduleDef schedule_linear = {.component = {.name = "linear",
                                                   .help = "Up during the warm-up, then down along a straight line.",
                                                   .source = "Devlin et al. 2019",
                                                   ROWS(fields, LinearSettings)},
                                     .factor = factor,
                                     .steps = steps};
