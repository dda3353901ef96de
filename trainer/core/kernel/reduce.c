/* reduce.c - sums, in an order that the length alone decides: four vectors of partial sums, added at the end. */
#include "trainer/core/kernel/vector.h"

enum { SUMS = 4 };

real LEVEL(kernel_dot)(int64_t n, const real *x, const real *y)
{
    Vec sum[SUMS] = {{0}};
    int64_t i = 0;
    for (; i + SUMS * LANES <= n; i += SUMS * LANES)
        KERNEL_UNROLL for (int s = 0; s < SUMS; s++) sum[s] +=
            vec_load(x + i + s * LANES) * vec_load(y + i + s * LANES);
    for (; i < n; i += LANES) sum[0] += vec_get(x + i, n - i) * vec_get(y + i, n - i);
    return vec_sum((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

static double sum_squares(int64_t n, const real *x)
{
    Vec sum[SUMS] = {{0}};
    int64_t i = 0;
    for (; i + SUMS * LANES <= n; i += SUMS * LANES) KERNEL_UNROLL for (int s = 0; s < SUMS; s++)
        {
            const Vec v = vec_load(x + i + s * LANES);
            sum[s] += v * v;
        }
    for (; i < n; i += LANES) {
        const Vec v = vec_get(x + i, n - i);
        sum[0] += v * v;
    }
    return (double)vec_sum((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

/* Blocks are summed in real, the blocks in double: the error stays near that of one block. */
double LEVEL(kernel_sum_squares)(int64_t n, const real *x)
{
    const int64_t block = 4096;
    double sum = 0;
    for (int64_t i = 0; i < n; i += block) sum += sum_squares(n - i < block ? n - i : block, x + i);
    return sum;
}

real LEVEL(kernel_maximum)(int64_t n, const real *x)
{
    real most = (real)-INFINITY;
    for (int64_t i = 0; i < n; i++)
        if (x[i] > most) most = x[i];
    return most;
}

real LEVEL(kernel_softmax)(int64_t n, const real *x, real *y)
{
    const real most = LEVEL(kernel_maximum)(n, x);
    Vec sums = {0};
    for (int64_t i = 0; i < n; i += LANES) {
        const Vec e = vec_exp(vec_get(x + i, n - i) - most);
        vec_put(y + i, n - i, e);
        sums += vec_get(y + i, n - i); /* read back: beyond n there is 0, not exp(-most) */
    }
    const real sum = vec_sum(sums);
    LEVEL(kernel_scale)(n, 1 / sum, y);
    return most + (real)log((double)sum);
}

void LEVEL(kernel_softmax_backward)(int64_t n, const real *y, const real *dy, real *dx)
{
    const real mean = LEVEL(kernel_dot)(n, y, dy);
    for (int64_t i = 0; i < n; i += LANES) {
        const Vec d = vec_get(y + i, n - i) * (vec_get(dy + i, n - i) - mean);
        vec_put(dx + i, n - i, vec_get(dx + i, n - i) + d);
    }
}
