/* matrix.c - matrix products as plain loops. */
#include "trainer/op/matrix.h"

void op_matrix_nn(int64_t m, int64_t n, int64_t k, const real *a, const real *b, real *c)
{
    for (int64_t i = 0; i < m; i++)
        for (int64_t p = 0; p < k; p++)
            for (int64_t j = 0; j < n; j++) c[i * n + j] += a[i * k + p] * b[p * n + j];
}

void op_matrix_nt(int64_t m, int64_t n, int64_t k, const real *a, const real *b, real *c)
{
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            real sum = 0;
            for (int64_t p = 0; p < k; p++) sum += a[i * k + p] * b[j * k + p];
            c[i * n + j] += sum;
        }
}

void op_matrix_tn(int64_t m, int64_t n, int64_t k, const real *a, const real *b, real *c)
{
    for (int64_t p = 0; p < k; p++)
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++) c[i * n + j] += a[p * m + i] * b[p * n + j];
}
