/* momentum.c - heavy ball: m = mu m + g, p -= rate m; with nesterov p -= rate (g + mu m).
 *
 * A row of a table without a gradient still moves by its momentum. That is put off until the row is next read, and then
 * done step by step while the row stays in registers: the bits of the dense update at the cost of touched rows. */
#include "trainer/core/kernel.h"
#include "trainer/optim/optim.h"

typedef struct Momentum {
    double lr, weight_decay, momentum;
    bool nesterov;
} Momentum;

static const Field fields[] = {
    FIELD(Momentum, lr, .preset = "0.01", .min = 0, .max = 1e6, .help = "Step size, before the schedule."),
    FIELD(Momentum, weight_decay, .preset = "0", .min = 0, .max = 1,
          .help = "This times the value is added to its gradient."),
    FIELD(Momentum, momentum, .preset = "0.9", .min = 0, .max = 0.9999, .help = "Share of the last step that is kept."),
    FIELD(Momentum, nesterov, .preset = "false", .help = "Look ahead: the gradient counts once more (Nesterov 1983)."),
};

static MomentumStep numbers(const Momentum *set, double rate)
{
    return (MomentumStep){
        .rate = (real)rate, .decay = (real)set->weight_decay, .mu = (real)set->momentum, .nesterov = set->nesterov};
}

static void update(const OptimStep *s, int64_t n, real *value, const real *grad, real *const *state)
{
    const MomentumStep step = numbers(s->settings, s->rate);
    kernels()->momentum(n, &step, grad, state[0], value);
}

static void replay(const void *settings, const real *rate, int64_t k, int64_t n, real *value, real *const *state)
{
    const MomentumStep step = numbers(settings, 0);
    kernels()->momentum_idle(n, &step, k, rate, state[0], value);
}

static bool skips(const void *settings)
{
    (void)settings;
    return false;
}

const OptimDef optim_momentum = {
    .component = {.name = "momentum",
                  .help = "Gradient descent with momentum.",
                  .source = "Polyak 1964; Sutskever et al. 2013",
                  ROWS(fields, Momentum)},
    .n_state = 1,
    .state = {"momentum"},
    .update = update,
    .skips = skips,
    .replay = replay,
};
