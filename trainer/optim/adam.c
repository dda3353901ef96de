/* adam.c - m = b1 m + (1 - b1) g, v = b2 v + (1 - b2) g^2,
 * p -= rate (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + eps); weight decay is added to g. */
#include "trainer/optim/moments.h"

static const Field fields[] = {MOMENTS_FIELDS("1e-3", "0", "This times the value is added to its gradient.")};

static void update(const OptimStep *s, int64_t n, real *value, const real *grad, real *const *state)
{
    moments_update(s, ((const Moments *)s->settings)->weight_decay, 0, n, value, grad, state);
}

const OptimDef optim_adam = {
    .component = {.name = "adam",
                  .help = "Mean and mean square of the gradient, with bias correction.",
                  .source = "Kingma and Ba 2015",
                  ROWS(fields, Moments)},
    .n_state = 2,
    .state = {"mean", "mean_square"},
    .update = update,
    .skips = moments_lazy,
};
