/* matrix.c - forward by packed panels, gradients by BLAS. */
#include "trainer/op/matrix.h"

#include "trainer/core/blas.h"
#include "trainer/core/panel.h"

void op_product(Tape *t, int64_t m, int64_t n, int64_t k, const real *a, const real *b, bool transposed,
                const real *bias, real *c)
{
    Panel p;
    const ArenaMark mark = arena_mark(t->arena); /* the panel is needed here alone */
    const Status st = panel_pack(&p, t->arena, b, transposed, k, n);
    if (st == OK)
        panel_gemm_bias(m, a, k, &p, bias, c, n);
    else
        tape_fail(t, st);
    arena_release(t->arena, mark);
}

/* BLAS wants sizes of 1 and more. */
static bool nothing(int64_t m, int64_t n, int64_t k) { return m == 0 || n == 0 || k == 0; }

void op_matrix_nn(int64_t m, int64_t n, int64_t k, const real *a, const real *b, real *c)
{
    if (!nothing(m, n, k)) blas_gemm(false, false, m, n, k, 1, a, k, b, n, 1, c, n);
}

void op_matrix_nt(int64_t m, int64_t n, int64_t k, const real *a, const real *b, real *c)
{
    if (!nothing(m, n, k)) blas_gemm(false, true, m, n, k, 1, a, k, b, k, 1, c, n);
}

void op_matrix_tn(int64_t m, int64_t n, int64_t k, const real *a, const real *b, real *c)
{
    if (!nothing(m, n, k)) blas_gemm(true, false, m, n, k, 1, a, m, b, n, 1, c, n);
}
