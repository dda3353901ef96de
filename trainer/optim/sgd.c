/* sgd.c - stochastic gradient descent: p -= rate (g + decay p). */
#include "trainer/core/kernel.h"
#include "trainer/optim/optim.h"

typedef struct Sgd {
    double lr, weight_decay;
} Sgd;

static const Field fields[] = {
    FIELD(Sgd, lr, .preset = "0.01", .min = 0, .max = 1e6, .help = "Step size, before the schedule."),
    FIELD(Sgd, weight_decay, .preset = "0", .min = 0, .max = 1,
          .help = "This times the value is added to its gradient."),
};

static void update(const OptimStep *s, int64_t n, real *value, const real *grad, real *const *state)
{
    (void)state;
    kernels()->sgd(n, (real)s->rate, (real)((const Sgd *)s->settings)->weight_decay, grad, value);
}

static bool skips(const void *settings) { return ((const Sgd *)settings)->weight_decay == 0; }

const OptimDef optim_sgd = {
    .component = {.name = "sgd",
                  .help = "Stochastic gradient descent.",
                  .source = "Robbins and Monro 1951",
                  ROWS(fields, Sgd)},
    .update = update,
    .skips = skips,
};
