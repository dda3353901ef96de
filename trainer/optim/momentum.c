/* momentum.c - heavy ball: m = mu m + g, p -= rate m; with nesterov p -= rate (g + mu m).
 *
 * A row of a table without a gradient still moves by its momentum. That is put off until the row is next read, and then
 * done step by step while the row stays in registers: the bits of the dense update at the cost of touched rows. */
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

/* A momentum this small moves nothing; as a subnormal number it would only slow the processor down, for ever, since
 * 0.9 times the smallest number rounds to itself. */
static const real TINY = (real)1e-30;

static inline real keep(real m) { return (m < 0 ? -m : m) < TINY ? 0 : m; }

static void update(const OptimStep *s, int64_t n, real *restrict value, const real *restrict grad, real *const *state)
{
    const Momentum *set = s->settings;
    const real rate = (real)s->rate, decay = (real)set->weight_decay, mu = (real)set->momentum;
    real *restrict m = state[0];
    if (set->nesterov) {
        for (int64_t i = 0; i < n; i++) {
            const real g = grad[i] + decay * value[i];
            m[i] = keep(mu * m[i] + g);
            value[i] -= rate * (g + mu * m[i]);
        }
    } else {
        for (int64_t i = 0; i < n; i++) {
            m[i] = keep(mu * m[i] + (grad[i] + decay * value[i]));
            value[i] -= rate * m[i];
        }
    }
}

enum { PIECE = 64, ROUND = 64 }; /* values that stay in the first cache; steps between looks for an early end */

static void replay(const void *settings, const real *rate, int64_t k, int64_t n, real *value, real *const *state)
{
    static const real zeros[PIECE] = {0};
    const bool decays = ((const Momentum *)settings)->weight_decay != 0;
    for (int64_t at = 0; at < n; at += PIECE) {
        const int64_t width = n - at < PIECE ? n - at : PIECE;
        real *const m[OPTIM_STATES] = {state[0] + at, NULL};
        for (int64_t step = 0; step < k; step++) {
            const OptimStep s = {.settings = settings, .rate = (double)rate[step]};
            update(&s, width, value + at, zeros, m);
            if (decays || step % ROUND != 0) continue;
            bool moves = false;
            for (int64_t i = 0; i < width; i++) moves |= m[0][i] != 0;
            if (!moves) break;
        }
    }
}

static bool skips(const void *settings)
{
    (void)settings;
    return false;
}

const OptimDef optim_momentum = {
    .component = {"momentum", "Gradient descent with momentum.", "Polyak 1964; Sutskever et al. 2013", fields,
                  COUNT(fields), sizeof(Momentum)},
    .n_state = 1,
    .state = {"momentum"},
    .update = update,
    .skips = skips,
    .replay = replay,
};
