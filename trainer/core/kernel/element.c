/* element.c - loops over elements. */
#include "trainer/core/kernel/vector.h"

void LEVEL(kernel_exp)(int64_t n, const real *x, real *y)
{
    for (int64_t i = 0; i < n; i += LANES) vec_put(y + i, n - i, vec_exp(vec_get(x + i, n - i)));
}

void LEVEL(kernel_tanh)(int64_t n, const real *x, real *y)
{
    for (int64_t i = 0; i < n; i += LANES) vec_put(y + i, n - i, vec_tanh(vec_get(x + i, n - i)));
}

void LEVEL(kernel_sigmoid)(int64_t n, const real *x, real *y)
{
    for (int64_t i = 0; i < n; i += LANES) vec_put(y + i, n - i, vec_sigmoid(vec_get(x + i, n - i)));
}

void LEVEL(kernel_scale)(int64_t n, real a, real *x)
{
    for (int64_t i = 0; i < n; i += LANES) vec_put(x + i, n - i, a * vec_get(x + i, n - i));
}

void LEVEL(kernel_add)(int64_t n, const real *x, real *y)
{
    for (int64_t i = 0; i < n; i += LANES) vec_put(y + i, n - i, vec_get(y + i, n - i) + vec_get(x + i, n - i));
}

void LEVEL(kernel_axpy)(int64_t n, real a, const real *x, real *y)
{
    for (int64_t i = 0; i < n; i += LANES) vec_put(y + i, n - i, a * vec_get(x + i, n - i) + vec_get(y + i, n - i));
}

void LEVEL(kernel_multiply)(int64_t n, const real *a, const real *b, real *y)
{
    for (int64_t i = 0; i < n; i += LANES) vec_put(y + i, n - i, vec_get(a + i, n - i) * vec_get(b + i, n - i));
}
