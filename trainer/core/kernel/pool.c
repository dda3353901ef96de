/* pool.c - the row-wise parts of attention pooling. */
#include "trainer/core/kernel/vector.h"

/* u_r = tanh(u_r + b), score_r = u_r . v */
void LEVEL(kernel_tanh_score)(int64_t n, int64_t a, real *u, const real *b, const real *v, real *score)
{
    for (int64_t r = 0; r < n; r++, u += a) {
        Vec sum = {0};
        for (int64_t i = 0; i < a; i += LANES) {
            Vec x = vec_get(u + i, a - i);
            if (b) x += vec_get(b + i, a - i);
            x = vec_tanh(x);
            vec_put(u + i, a - i, x);
            sum += x * vec_get(v + i, a - i);
        }
        score[r] = vec_sum(sum);
    }
}

/* d/du: d_score v (1 - u^2); d/dv: d_score u */
void LEVEL(kernel_tanh_score_backward)(int64_t n, int64_t a, real *u, const real *v, const real *d_score, real *dv)
{
    for (int64_t r = 0; r < n; r++, u += a) {
        const real d = d_score[r];
        for (int64_t i = 0; i < a; i += LANES) {
            const Vec x = vec_get(u + i, a - i);
            if (dv) vec_put(dv + i, a - i, d * x + vec_get(dv + i, a - i));
            vec_put(u + i, a - i, d * vec_get(v + i, a - i) * (1 - x * x));
        }
    }
}

/* Strips of columns stay in registers while the rows go by: as many chains as the multipliers are deep. */
KERNEL_INLINE void sum_of_rows(const bool add, int64_t n, int64_t d, const real *w, const real *x, int64_t ldx,
                               real scale, real *y)
{
    enum { STRIP = 8 };
    int64_t c = 0;
    for (; c + STRIP * LANES <= d; c += STRIP * LANES) {
        Vec s[STRIP] = {{0}};
        for (int64_t r = 0; r < n; r++)
            KERNEL_UNROLL for (int v = 0; v < STRIP; v++) s[v] += w[r] * vec_load(x + r * ldx + c + v * LANES);
        KERNEL_UNROLL for (int v = 0; v < STRIP; v++)
            vec_store(y + c + v * LANES, add ? scale * s[v] + vec_load(y + c + v * LANES) : s[v]);
    }
    for (; c < d; c += LANES) {
        Vec s = {0};
        for (int64_t r = 0; r < n; r++) s += w[r] * vec_get(x + r * ldx + c, d - c);
        vec_put(y + c, d - c, add ? scale * s + vec_get(y + c, d - c) : s);
    }
}

void LEVEL(kernel_weighted_sum)(int64_t n, int64_t d, const real *w, const real *x, int64_t ldx, real *y)
{
    sum_of_rows(false, n, d, w, x, ldx, 1, y);
}

void LEVEL(kernel_weighted_sum_add)(int64_t n, int64_t d, const real *w, const real *x, int64_t ldx, real scale,
                                    real *y)
{
    sum_of_rows(true, n, d, w, x, ldx, scale, y);
}

void LEVEL(kernel_weighted_sum_backward)(int64_t n, int64_t d, const real *w, const real *x, int64_t ldx,
                                         const real *dy, real *dw, real *dx, int64_t lddx)
{
    for (int64_t r = 0; r < n; r++) {
        if (dw) dw[r] += LEVEL(kernel_dot)(d, x + r * ldx, dy);
        if (dx) LEVEL(kernel_axpy)(d, w[r], dy, dx + r * lddx);
    }
}
