/* early.c - patience. */
#include "trainer/schedule/early.h"

#include <math.h>

static const Field fields[] = {
    FIELD(EarlySettings, patience, .preset = "0", .min = 0, .max = 1e6, .unit = "validations",
          .help = "Stop after so many validations in a row without progress; 0: never."),
    FIELD(EarlySettings, min_delta, .preset = "0", .min = 0, .max = 1e6,
          .help = "Progress is a change by more than this."),
    FIELD(EarlySettings, measure, .preset = "loss", .help = "The measure that is watched."),
};

const Section early_section = {
    .name = "early", .help = "When training ends before its time.", ROWS(fields, EarlySettings)};

void early_forget(Early *e)
{
    e->state[EARLY_BEST] = NAN;
    e->state[EARLY_BAD] = 0;
}

void early_open(Early *e, const EarlySettings *settings)
{
    *e = (Early){.settings = settings};
    early_forget(e);
}

bool early_over(const Early *e)
{
    return e->settings->patience > 0 && e->state[EARLY_BAD] >= (double)e->settings->patience;
}

Status early_observe(Early *e, const Measures *m, bool *stop)
{
    *stop = false;
    if (e->settings->patience == 0) return OK;
    const Measure *now;
    TRY(measures_need(&now, m, e->settings->measure, "early.measure"));
    if (measures_better(now->value, e->state[EARLY_BEST], now->higher, e->settings->min_delta)) {
        e->state[EARLY_BEST] = now->value;
        e->state[EARLY_BAD] = 0;
    } else {
        e->state[EARLY_BAD]++;
    }
    *stop = early_over(e);
    return OK;
}
