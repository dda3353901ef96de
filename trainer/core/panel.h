/* panel.h - products of rows with a matrix that is packed once: C = beta C + A P.
 *
 * Each row of C is a function of its row of A alone, bit for bit, whatever M is: so evaluation does not depend on
 * the size of a batch. Use it for everything that goes forward row by row, and blas_gemm for sums over rows. */
#ifndef TRAINER_CORE_PANEL_H
#define TRAINER_CORE_PANEL_H
#include "comm/arena.h"
#include "trainer/core/kernel.h"

/* P (K,N) from B (K,N), or from B (N,K) when transposed. Memory from arena. */
NODISCARD Status panel_pack(Panel *p, Arena *arena, const real *b, bool transposed, int64_t k, int64_t n);
/* The same, with ldb numbers between the rows of B. */
NODISCARD Status panel_pack_part(Panel *p, Arena *arena, const real *b, int64_t ldb, bool transposed, int64_t k,
                                 int64_t n);
/* For recurrent kernels: B (K, gates * H), columns regrouped by unit; in the products below they are as in B. */
NODISCARD Status panel_pack_gates(Panel *p, Arena *arena, const real *b, int64_t k, int64_t h, int gates);

/* A (M,K) with lda  C (M,N) with ldc: C = A P + beta C */
void panel_gemm(int64_t m, const real *a, int64_t lda, const Panel *p, real beta, real *c, int64_t ldc);
/* C = A P + bias, bias (N) added to each row; NULL: none */
void panel_gemm_bias(int64_t m, const real *a, int64_t lda, const Panel *p, const real *bias, real *c, int64_t ldc);

#endif
