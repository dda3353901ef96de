/* optim.c - updates of values by the optimisers, element by element. Formulas and sources stand in trainer/optim/.
 *
 * An element's result does not depend on its place in the run: rows of a table one by one give the bits of the table as
 * a whole. All of it is bound by memory: adam reads and writes 28 bytes a value. */
#include "trainer/core/kernel/vector.h"

static inline real root(real x)
{
#ifdef MNEME_DOUBLE
    return sqrt(x);
#else
    return sqrtf(x);
#endif
}

/* Numbers this small move nothing. As subnormal numbers they would slow the processor down, for ever: 0.9 times the
 * smallest number rounds to itself. */
#define TINY_MOMENTUM ((real)1e-30)
#define TINY_MOMENT   ((real)1e-36)

void LEVEL(kernel_sgd)(int64_t n, real rate, real decay, const real *restrict g, real *restrict p)
{
    for (int64_t i = 0; i < n; i++) p[i] -= rate * (g[i] + decay * p[i]);
}

KERNEL_INLINE void momentum(const MomentumStep *s, Vec g, Vec *m, Vec *p)
{
    g += s->decay * *p;
    const Vec now = s->mu * *m + g;
    const Vec tiny = vec_all(TINY_MOMENTUM);
    *m = vec_select((IntVec)((now < tiny) & (now > -tiny)), (Vec){0}, now);
    *p -= s->rate * (s->nesterov ? g + s->mu * *m : *m);
}

void LEVEL(kernel_momentum)(int64_t n, const MomentumStep *s, const real *restrict g, real *restrict m,
                            real *restrict p)
{
    for (int64_t i = 0; i < n; i += LANES) {
        Vec mean = vec_get(m + i, n - i), value = vec_get(p + i, n - i);
        momentum(s, vec_get(g + i, n - i), &mean, &value);
        vec_put(m + i, n - i, mean);
        vec_put(p + i, n - i, value);
    }
}

enum {
    LOOK = 64,
    WIDE = 4
}; /* steps between two looks whether anything still moves; vectors at once, to hide latency */

KERNEL_INLINE bool moves(int vecs, const Vec *mean)
{
    IntVec any = {0};
    for (int v = 0; v < vecs; v++) any |= (IntVec)(mean[v] != (Vec){0});
    LaneInt some = 0;
    for (int i = 0; i < LANES; i++) some |= any[i];
    return some != 0;
}

/* k steps of some vectors that stay in registers; the last one may be a part. */
KERNEL_INLINE void idle(int vecs, int64_t n, MomentumStep step, int64_t k, const real *rate, real *m, real *p)
{
    Vec mean[WIDE], value[WIDE];
    KERNEL_UNROLL for (int v = 0; v < vecs; v++)
    {
        mean[v] = vec_get(m + v * LANES, n - v * LANES);
        value[v] = vec_get(p + v * LANES, n - v * LANES);
    }
    for (int64_t t = 0; t < k; t++) {
        if (t % LOOK == 0 && step.decay == 0 && !moves(vecs, mean)) break;
        step.rate = rate[t];
        KERNEL_UNROLL for (int v = 0; v < vecs; v++) momentum(&step, (Vec){0}, &mean[v], &value[v]);
    }
    KERNEL_UNROLL for (int v = 0; v < vecs; v++)
    {
        vec_put(m + v * LANES, n - v * LANES, mean[v]);
        vec_put(p + v * LANES, n - v * LANES, value[v]);
    }
}

void LEVEL(kernel_momentum_idle)(int64_t n, const MomentumStep *s, int64_t k, const real *rate, real *restrict m,
                                 real *restrict p)
{
    int64_t i = 0;
    for (; i + WIDE * LANES <= n; i += WIDE * LANES) idle(WIDE, WIDE * LANES, *s, k, rate, m + i, p + i);
    for (; i < n; i += LANES) idle(1, n - i, *s, k, rate, m + i, p + i);
}

void LEVEL(kernel_adagrad)(int64_t n, real rate, real decay, real eps, const real *restrict g, real *restrict sum,
                           real *restrict p)
{
    for (int64_t i = 0; i < n; i++) {
        const real d = g[i] + decay * p[i];
        sum[i] += d * d;
        p[i] -= rate * d / (root(sum[i]) + eps);
    }
}

void LEVEL(kernel_adadelta)(int64_t n, const SquareStep *s, const real *restrict g, real *restrict square,
                            real *restrict moved, real *restrict p)
{
    const real rate = s->rate, decay = s->decay, eps = s->eps, rho = s->rho, rest = s->rest;
    for (int64_t i = 0; i < n; i++) {
        const real d = g[i] + decay * p[i];
        square[i] = rho * square[i] + rest * (d * d);
        const real step = d * (root(moved[i] + eps) / root(square[i] + eps));
        moved[i] = rho * moved[i] + rest * (step * step);
        p[i] -= rate * step;
    }
}

void LEVEL(kernel_rmsprop)(int64_t n, const SquareStep *s, const real *restrict g, real *restrict square,
                           real *restrict p)
{
    const real rate = s->rate, decay = s->decay, eps = s->eps, rho = s->rho, rest = s->rest;
    for (int64_t i = 0; i < n; i++) {
        const real d = g[i] + decay * p[i];
        square[i] = rho * square[i] + rest * (d * d);
        p[i] -= rate * d / (root(square[i]) + eps);
    }
}

void LEVEL(kernel_adam)(int64_t n, const AdamStep *s, const real *restrict g, real *restrict mean,
                        real *restrict square, real *restrict p)
{
    const real b1 = s->beta1, rest1 = s->rest1, b2 = s->beta2, rest2 = s->rest2;
    const real rate = s->rate, scale = s->root, eps = s->eps, decay = s->decay, kept = s->kept;
    for (int64_t i = 0; i < n; i++) {
        const real d = g[i] + decay * p[i];
        const real m = b1 * mean[i] + rest1 * d;
        const real v = b2 * square[i] + rest2 * (d * d);
        const real m_kept = (m < 0 ? -m : m) < TINY_MOMENT ? 0 : m, v_kept = v < TINY_MOMENT ? 0 : v;
        mean[i] = m_kept;
        square[i] = v_kept;
        p[i] = kept * p[i] - rate * m_kept / (root(v_kept) * scale + eps);
    }
}

void LEVEL(kernel_approach)(int64_t n, real share, const real *restrict x, real *restrict y)
{
    for (int64_t i = 0; i < n; i++) y[i] += share * (x[i] - y[i]);
}
