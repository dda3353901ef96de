/* adadelta.c - v = rho v + (1 - rho) g^2, d = g sqrt(u + eps) / sqrt(v + eps), u = rho u + (1 - rho) d^2,
 * p -= rate d. */
#include "trainer/core/kernel.h"
#include "trainer/optim/optim.h"

typedef struct Adadelta {
    double lr, weight_decay, rho, epsilon;
} Adadelta;

static const Field fields[] = {
    FIELD(Adadelta, lr, .preset = "1", .min = 0, .max = 1e6, .help = "Factor of the step that the method finds."),
    FIELD(Adadelta, weight_decay, .preset = "0", .min = 0, .max = 1,
          .help = "This times the value is added to its gradient."),
    FIELD(Adadelta, rho, .preset = "0.95", .min = 0, .max = 0.99999, .help = "Decay of both mean squares."),
    FIELD(Adadelta, epsilon, .preset = "1e-6", .min = 1e-15, .max = 1,
          .help = "Starts the steps and keeps them finite."),
};

static void update(const OptimStep *s, int64_t n, real *value, const real *grad, real *const *state)
{
    const Adadelta *set = s->settings;
    const SquareStep step = {.rate = (real)s->rate,
                             .decay = (real)set->weight_decay,
                             .eps = (real)set->epsilon,
                             .rho = (real)set->rho,
                             .rest = (real)(1 - set->rho)};
    kernels()->adadelta(n, &step, grad, state[0], state[1], value);
}

static bool skips(const void *settings)
{
    (void)settings;
    return false;
}

const OptimDef optim_adadelta = {
    .component = {.name = "adadelta",
                  .help = "Steps in the unit of the values, without a rate.",
                  .source = "Zeiler 2012",
                  ROWS(fields, Adadelta)},
    .n_state = 2,
    .state = {"mean_square", "mean_square_step"},
    .update = update,
    .skips = skips,
};
