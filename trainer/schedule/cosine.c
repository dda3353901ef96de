/* cosine.c - factor = last + (1 - last) (1 + cos(pi x)) / 2, x the share of the steps that is done. */
#include <math.h>

#include "trainer/schedule/schedule.h"

typedef struct CosineSettings {
    int64_t steps;
    double last;
} CosineSettings;

static const Field fields[] = {
    FIELD(CosineSettings, steps, .preset = "0", .min = 0, .max = 1e12, .unit = "steps",
          .help = "Length of the curve with its warm-up; 0: the whole training."),
    FIELD(CosineSettings, last, .preset = "0", .min = 0, .max = 1,
          .help = "Share of the rate that is left at the end."),
};

static double factor(const void *settings, const ScheduleClock *clock, const double *state)
{
    (void)state;
    const double last = ((const CosineSettings *)settings)->last;
    const double x = clock->step < clock->steps ? (double)clock->step / (double)clock->steps : 1;
    return last + (1 - last) * (1 + cos(acos(-1) * x)) / 2;
}

static int64_t steps(const void *settings) { return ((const CosineSettings *)settings)->steps; }

const ScheduleDef schedule_cosine = {.component = {.name = "cosine",
                                                   .help = "Down along half a wave.",
                                                   .source = "Loshchilov and Hutter 2017",
                                                   ROWS(fields, CosineSettings)},
                                     .factor = factor,
                                     .steps = steps};
