/* moments.c - Adam's update, in the form rate / (1 - b1^t) * m / (sqrt(v) / sqrt(1 - b2^t) + eps). */
#include "trainer/optim/moments.h"

#include <tgmath.h>

/* Moments this small move nothing; as subnormal numbers they would slow the processor down for ever. */
static const real TINY = (real)1e-36;

void moments_update(const OptimStep *s, double decay, double shrink, int64_t n, real *restrict value,
                    const real *restrict grad, real *const *state)
{
    const Moments *set = s->settings;
    const real b1 = (real)set->beta1, rest1 = (real)(1 - set->beta1), eps = (real)set->epsilon;
    const real b2 = (real)set->beta2, rest2 = (real)(1 - set->beta2);
    const real rate = (real)(s->rate / (1 - pow(set->beta1, (double)s->step)));
    const real root = (real)(1 / sqrt(1 - pow(set->beta2, (double)s->step)));
    const real l2 = (real)decay, kept = (real)(1 - shrink);
    real *restrict mean = state[0], *restrict square = state[1];
    for (int64_t i = 0; i < n; i++) {
        const real g = grad[i] + l2 * value[i];
        const real m = b1 * mean[i] + rest1 * g;
        const real v = b2 * square[i] + rest2 * (g * g);
        mean[i] = (m < 0 ? -m : m) < TINY ? 0 : m;
        square[i] = v < TINY ? 0 : v;
        value[i] = kept * value[i] - rate * mean[i] / (sqrt(square[i]) * root + eps);
    }
}

bool moments_lazy(const void *settings) { return ((const Moments *)settings)->lazy; }
