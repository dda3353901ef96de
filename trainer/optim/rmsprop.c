/* rmsprop.c - v = rho v + (1 - rho) g^2, p -= rate g / (sqrt(v) + eps). */
#include "trainer/core/kernel.h"
#include "trainer/optim/optim.h"

typedef struct Rmsprop {
    double lr, weight_decay, rho, epsilon;
} Rmsprop;

static const Field fields[] = {
    FIELD(Rmsprop, lr, .preset = "1e-3", .min = 0, .max = 1e6, .help = "Step size, before the schedule."),
    FIELD(Rmsprop, weight_decay, .preset = "0", .min = 0, .max = 1,
          .help = "This times the value is added to its gradient."),
    FIELD(Rmsprop, rho, .preset = "0.9", .min = 0, .max = 0.99999, .help = "Decay of the mean square."),
    FIELD(Rmsprop, epsilon, .preset = "1e-8", .min = 1e-15, .max = 1, .help = "Keeps the division finite."),
};

static void update(const OptimStep *s, int64_t n, real *value, const real *grad, real *const *state)
{
    const Rmsprop *set = s->settings;
    const SquareStep step = {.rate = (real)s->rate,
                             .decay = (real)set->weight_decay,
                             .eps = (real)set->epsilon,
                             .rho = (real)set->rho,
                             .rest = (real)(1 - set->rho)};
    kernels()->rmsprop(n, &step, grad, state[0], value);
}

static bool skips(const void *settings)
{
    (void)settings;
    return false;
}

const OptimDef optim_rmsprop = {
    .component = {.name = "rmsprop",
                  .help = "A rate for each value, from the running mean of its squared gradients.",
                  .source = "Tieleman and Hinton 2012",
                  ROWS(fields, Rmsprop)},
    .n_state = 1,
    .state = {"mean_square"},
    .update = update,
    .skips = skips,
};
