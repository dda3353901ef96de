/* moments.c - Adam's update, in the form rate / (1 - b1^t) * m / (sqrt(v) / sqrt(1 - b2^t) + eps). */
#include "trainer/optim/moments.h"

#include <math.h>

#include "trainer/core/kernel.h"

void moments_update(const OptimStep *s, double decay, double shrink, int64_t n, real *value, const real *grad,
                    real *const *state)
{
    const Moments *set = s->settings;
    const AdamStep step = {.rate = (real)(s->rate / (1 - pow(set->beta1, (double)s->step))),
                           .root = (real)(1 / sqrt(1 - pow(set->beta2, (double)s->step))),
                           .eps = (real)set->epsilon,
                           .beta1 = (real)set->beta1,
                           .rest1 = (real)(1 - set->beta1),
                           .beta2 = (real)set->beta2,
                           .rest2 = (real)(1 - set->beta2),
                           .decay = (real)decay,
                           .kept = (real)(1 - shrink)};
    kernels()->adam(n, &step, grad, state[0], state[1], value);
}

bool moments_lazy(const void *settings) { return ((const Moments *)settings)->lazy; }
