/* output.c - rows of logits over a vocabulary: log sum exp, and the gradient of a cross-entropy in place.
 *
 * Sums run over blocks in reals, from block to block in double: so their error does not grow with the vocabulary. */
#include "trainer/core/kernel/vector.h"

enum { CHAINS = 4, BLOCK = 32 * LANES };

/* The largest of n numbers; NaN is passed over, and makes the sum NaN later. */
static real largest(int64_t n, const real *x)
{
    Vec most[CHAINS];
    int64_t i = 0;
    KERNEL_UNROLL for (int c = 0; c < CHAINS; c++) most[c] = vec_all((real)-INFINITY);
    for (; i + CHAINS * LANES <= n; i += CHAINS * LANES) KERNEL_UNROLL for (int c = 0; c < CHAINS; c++)
        {
            const Vec v = vec_load(x + i + c * LANES);
            most[c] = vec_select(v > most[c], v, most[c]);
        }
    real one = (real)-INFINITY;
    for (int c = 0; c < CHAINS; c++)
        for (int j = 0; j < LANES; j++)
            if (most[c][j] > one) one = most[c][j];
    for (; i < n; i++)
        if (x[i] > one) one = x[i];
    return one;
}

/* sum exp(x - most) over a block, which may end within a vector. With y: what is summed is left there. */
KERNEL_INLINE real block_sum(int64_t n, const real *x, real most, real *y)
{
    Vec sum[CHAINS] = {{0}};
    int64_t i = 0;
    for (; i + CHAINS * LANES <= n; i += CHAINS * LANES) KERNEL_UNROLL for (int c = 0; c < CHAINS; c++)
        {
            const Vec e = vec_exp(vec_load(x + i + c * LANES) - most);
            if (y) vec_store(y + i + c * LANES, e);
            sum[c] += e;
        }
    for (; i < n; i += LANES) {
        const int64_t left = n - i;
        Vec e = vec_exp(vec_get(x + i, left) - most);
        for (int64_t j = left; j < LANES; j++) e[j] = 0;
        if (y) vec_put(y + i, left, e);
        sum[0] += e;
    }
    return vec_sum((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

static double plain_sum(int64_t n, const real *x)
{
    double all = 0;
    for (int64_t start = 0; start < n; start += BLOCK) {
        const int64_t end = n - start < BLOCK ? n : start + BLOCK;
        Vec sum = {0};
        for (int64_t i = start; i < end; i += LANES) sum += vec_get(x + i, end - i);
        all += (double)vec_sum(sum);
    }
    return all;
}

double LEVEL(kernel_log_sum_exp)(int64_t n, const real *x, int64_t *best)
{
    real most = (real)-INFINITY;
    int64_t at = 0;
    for (int64_t i = 0; i < n; i += BLOCK) {
        const real here = largest(n - i < BLOCK ? n - i : BLOCK, x + i);
        if (!(here > most)) continue;
        most = here;
        at = i;
    }
    while (at < n - 1 && x[at] != most) at++; /* the first in the first block that has it */
    *best = at;
    double sum = 0;
    for (int64_t i = 0; i < n; i += BLOCK) sum += (double)block_sum(n - i < BLOCK ? n - i : BLOCK, x + i, most, NULL);
    return (double)most + log(sum);
}

double LEVEL(kernel_softmax_gradient)(int64_t n, real scale, real shift, real *x, double *mean)
{
    const real most = largest(n, x);
    double sum = 0;
    if (mean) *mean = plain_sum(n, x) / (double)n;
    for (int64_t i = 0; i < n; i += BLOCK) sum += (double)block_sum(n - i < BLOCK ? n - i : BLOCK, x + i, most, x + i);
    const real share = (real)((double)scale / sum), less = scale * shift;
    for (int64_t i = 0; i < n; i += LANES) vec_put(x + i, n - i, vec_get(x + i, n - i) * share - less);
    /* cppcheck-suppress invalidFunctionArg ; n >= 1: the largest number gives 1 */
    return (double)most + log(sum);
}
