/* adamw.c - Adam whose weight decay does not pass through the moments: p -= rate decay p, then Adam's step. */
#include "trainer/optim/moments.h"

static const Field fields[] = {MOMENTS_FIELDS("1e-3", "0.01", "Share of the value that a step of rate 1 takes away.")};

static void update(const OptimStep *s, int64_t n, real *value, const real *grad, real *const *state)
{
    moments_update(s, 0, s->rate * ((const Moments *)s->settings)->weight_decay, n, value, grad, state);
}

const OptimDef optim_adamw = {
    .component = {.name = "adamw",
                  .help = "Adam with weight decay beside the gradient.",
                  .source = "Loshchilov and Hutter 2019",
                  ROWS(fields, Moments)},
    .n_state = 2,
    .state = {"mean", "mean_square"},
    .update = update,
    .skips = moments_lazy,
};
