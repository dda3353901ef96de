/* moments.h - what adam and adamw share: settings, and the update from the two moments. */
#ifndef TRAINER_OPTIM_MOMENTS_H
#define TRAINER_OPTIM_MOMENTS_H
#include "trainer/optim/optim.h"

typedef struct Moments {
    double lr, weight_decay, beta1, beta2, epsilon;
    bool lazy;
} Moments;

#define MOMENTS_FIELDS(rate, decay, decay_help)                                                                        \
    FIELD(Moments, lr, .preset = (rate), .min = 0, .max = 1e6, .help = "Step size, before the schedule."),             \
        FIELD(Moments, weight_decay, .preset = (decay), .min = 0, .max = 1, .help = (decay_help)),                     \
        FIELD(Moments, beta1, .preset = "0.9", .min = 0, .max = 0.9999, .help = "Decay of the mean gradient."),        \
        FIELD(Moments, beta2, .preset = "0.999", .min = 0, .max = 0.999999, .help = "Decay of the mean square."),      \
        FIELD(Moments, epsilon, .preset = "1e-8", .min = 1e-12, .max = 1, .help = "Keeps the division finite."),       \
        FIELD(Moments, lazy, .preset = "false",                                                                        \
              .help = "Leave rows of a table without a gradient alone: faster with large vocabularies, but not the "   \
                      "published method, which moves them on.")

/* decay is added to the gradient (times the value); shrink is the share that is taken from the value first. */
void moments_update(const OptimStep *s, double decay, double shrink, int64_t n, real *value, const real *grad,
                    real *const *state);
bool moments_lazy(const void *settings);

#endif
