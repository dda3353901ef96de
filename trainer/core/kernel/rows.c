/* rows.c - rows of matrices: fetched by number, added by number, summed. */
#include "trainer/core/kernel/vector.h"

void LEVEL(kernel_gather)(int64_t rows, int64_t n, const real *table, int64_t ld, const int32_t *index, real *y,
                          int64_t ldy)
{
    for (int64_t r = 0; r < rows; r++) memcpy(y + r * ldy, table + index[r] * ld, (size_t)n * sizeof(real));
}

void LEVEL(kernel_scatter_add)(int64_t rows, int64_t n, const real *x, int64_t ldx, const int32_t *index, real *table,
                               int64_t ld)
{
    for (int64_t r = 0; r < rows; r++) LEVEL(kernel_add)(n, x + r * ldx, table + index[r] * ld);
}

void LEVEL(kernel_gather_sum)(int64_t rows, int64_t n, const real *x, int64_t ldx, const int64_t *start,
                              const int32_t *list, real *y, int64_t ldy)
{
    for (int64_t r = 0; r < rows; r++, y += ldy) {
        if (start[r] == start[r + 1])
            memset(y, 0, (size_t)n * sizeof(real));
        else
            memcpy(y, x + list[start[r]] * ldx, (size_t)n * sizeof(real));
        for (int64_t j = start[r] + 1; j < start[r + 1]; j++) LEVEL(kernel_add)(n, x + list[j] * ldx, y);
    }
}

/* Strips of columns stay in registers while the rows go by. */
void LEVEL(kernel_column_sums)(int64_t rows, int64_t n, const real *x, int64_t ldx, real *sum)
{
    enum { STRIP = 8 };
    int64_t c = 0;
    for (; c + STRIP * LANES <= n; c += STRIP * LANES) {
        Vec s[STRIP];
        KERNEL_UNROLL for (int v = 0; v < STRIP; v++) s[v] = vec_load(sum + c + v * LANES);
        for (int64_t r = 0; r < rows; r++)
            KERNEL_UNROLL for (int v = 0; v < STRIP; v++) s[v] += vec_load(x + r * ldx + c + v * LANES);
        KERNEL_UNROLL for (int v = 0; v < STRIP; v++) vec_store(sum + c + v * LANES, s[v]);
    }
    for (; c < n; c += LANES) {
        Vec s = vec_get(sum + c, n - c);
        for (int64_t r = 0; r < rows; r++) s += vec_get(x + r * ldx + c, n - c);
        vec_put(sum + c, n - c, s);
    }
}
