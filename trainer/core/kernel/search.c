/* search.c - what a search needs of a row of logits: its log of the sum of exp, and where the large ones are. */
#include "trainer/core/kernel/vector.h"

enum { SUMS = 4 };

static real lane_maximum(Vec v)
{
    real x[LANES];
    vec_store(x, v);
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++) x[i] = x[i + half] > x[i] ? x[i + half] : x[i];
    return x[0];
}

void LEVEL(kernel_block_maxima)(int64_t n, const real *x, real *maximum)
{
    for (int64_t b = 0; b * KERNEL_BLOCK < n; b++, x += KERNEL_BLOCK) {
        const int64_t size = n - b * KERNEL_BLOCK < KERNEL_BLOCK ? n - b * KERNEL_BLOCK : KERNEL_BLOCK;
        Vec most = vec_all((real)-INFINITY);
        int64_t i = 0;
        for (; i + LANES <= size; i += LANES) {
            const Vec v = vec_load(x + i);
            most = vec_select(v > most, v, most);
        }
        real m = lane_maximum(most);
        for (; i < size; i++) m = x[i] > m ? x[i] : m;
        maximum[b] = m;
    }
}

double LEVEL(kernel_log_sum)(int64_t n, const real *x, real shift)
{
    Vec sum[SUMS] = {{0}};
    int64_t i = 0;
    for (; i + SUMS * LANES <= n; i += SUMS * LANES)
        KERNEL_UNROLL for (int s = 0; s < SUMS; s++) sum[s] += vec_exp(vec_load(x + i + s * LANES) - shift);
    for (; i < n; i += LANES) {
        real part[LANES];
        vec_put(part, n - i, vec_exp(vec_get(x + i, n - i) - shift));
        sum[0] += vec_get(part, n - i); /* beyond n there is 0, not exp(-shift) */
    }
    return (double)shift + log((double)vec_sum((sum[0] + sum[1]) + (sum[2] + sum[3])));
}
