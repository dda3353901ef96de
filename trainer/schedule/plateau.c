/* plateau.c - the rate is lowered when a measure of the validation has not become better for some time. */
#include <math.h>

#include "trainer/schedule/schedule.h"

typedef struct PlateauSettings {
    const char *measure;
    int64_t patience, cooldown;
    double ratio, min_delta, least;
} PlateauSettings;

static const Field fields[] = {
    FIELD(PlateauSettings, measure, .preset = "loss", .help = "The measure that is watched."),
    FIELD(PlateauSettings, patience, .preset = "5", .min = 0, .max = 1e6, .unit = "validations",
          .help = "Validations in a row without progress that are borne."),
    FIELD(PlateauSettings, cooldown, .preset = "0", .min = 0, .max = 1e6, .unit = "validations",
          .help = "Validations after a change that do not count."),
    FIELD(PlateauSettings, ratio, .preset = "0.5", .min = 1e-6, .max = 1, .help = "The rate is multiplied by this."),
    FIELD(PlateauSettings, min_delta, .preset = "1e-4", .min = 0, .max = 1e6,
          .help = "Progress is a change by more than this."),
    FIELD(PlateauSettings, least, .preset = "1e-4", .min = 0, .max = 1,
          .help = "Share of the rate that is always kept."),
};

enum { BEST, BAD, FACTOR, COOL }; /* best value, validations without progress, factor, validations left to cool */

static double factor(const void *settings, const ScheduleClock *clock, const double *state)
{
    (void)settings, (void)clock;
    return state[FACTOR];
}

static void start(double *state)
{
    state[BEST] = NAN;
    state[BAD] = state[COOL] = 0;
    state[FACTOR] = 1;
}

static void forget(double *state)
{
    state[BEST] = NAN;
    state[BAD] = 0;
}

static const char *watches(const void *settings) { return ((const PlateauSettings *)settings)->measure; }

static Status observe(const void *settings, double *state, const Measures *m)
{
    const PlateauSettings *set = settings;
    const Measure *now;
    TRY(measures_need(&now, m, set->measure, "schedule.measure"));
    if (measures_better(now->value, state[BEST], now->higher, set->min_delta)) {
        state[BEST] = now->value;
        state[BAD] = 0;
    } else {
        state[BAD]++;
    }
    if (state[COOL] > 0) {
        state[COOL]--;
        state[BAD] = 0;
    }
    if (state[BAD] <= (double)set->patience) return OK;
    state[FACTOR] = fmax(state[FACTOR] * set->ratio, set->least);
    state[BAD] = 0;
    state[COOL] = (double)set->cooldown;
    return OK;
}

const ScheduleDef schedule_plateau = {
    .component = {.name = "plateau",
                  .help = "Lower the rate when a measure of the validation stands still.",
                  ROWS(fields, PlateauSettings)},
    .factor = factor,
    .watches = watches,
    .start = start,
    .observe = observe,
    .forget = forget,
};
