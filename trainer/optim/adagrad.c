/* adagrad.c - s += g^2, p -= rate g / (sqrt(s) + eps). */
#include "trainer/core/kernel.h"
#include "trainer/optim/optim.h"

typedef struct Adagrad {
    double lr, weight_decay, initial, epsilon;
} Adagrad;

static const Field fields[] = {
    FIELD(Adagrad, lr, .preset = "0.01", .min = 0, .max = 1e6, .help = "Step size, before the schedule."),
    FIELD(Adagrad, weight_decay, .preset = "0", .min = 0, .max = 1,
          .help = "This times the value is added to its gradient."),
    FIELD(Adagrad, initial, .preset = "0", .min = 0, .max = 1e6, .help = "Where the sums of squares start."),
    FIELD(Adagrad, epsilon, .preset = "1e-10", .min = 1e-15, .max = 1, .help = "Keeps the division finite."),
};

static void update(const OptimStep *s, int64_t n, real *value, const real *grad, real *const *state)
{
    const Adagrad *set = s->settings;
    kernels()->adagrad(n, (real)s->rate, (real)set->weight_decay, (real)set->epsilon, grad, state[0], value);
}

static bool skips(const void *settings) { return ((const Adagrad *)settings)->weight_decay == 0; }
static double start(const void *settings) { return ((const Adagrad *)settings)->initial; }

const OptimDef optim_adagrad = {
    .component = {.name = "adagrad",
                  .help = "A rate for each value, from the sum of its squared gradients.",
                  .source = "Duchi et al. 2011",
                  ROWS(fields, Adagrad)},
    .n_state = 1,
    .state = {"square_sum"},
    .update = update,
    .start = start,
    .skips = skips,
};
