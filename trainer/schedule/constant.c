/* constant.c - factor = 1. */
#include "trainer/schedule/schedule.h"

static double factor(const void *settings, const ScheduleClock *clock, const double *state)
{
    (void)settings, (void)clock, (void)state;
    return 1;
}

const ScheduleDef schedule_constant = {.component = {.name = "constant", .help = "The same rate all the time."},
                                       .factor = factor};
