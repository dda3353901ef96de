/* blas.h - products of large matrices by OpenBLAS, and the check that it uses the kernels made for this processor.
 *
 * blas_prepare is the first call of main, before MPI starts. Row-major everywhere. Sums over k are in an order that
 * M, N, K and the library decide: for what must not depend on the number of rows use panel.h. */
#ifndef TRAINER_CORE_BLAS_H
#define TRAINER_CORE_BLAS_H
#include "comm/status.h"
#include "trainer/core/real.h"

/* C (M,N) = alpha op(A) op(B) + beta C, op(A) (M,K), op(B) (K,N). Sizes above INT_MAX are not supported. */
void blas_gemm(bool trans_a, bool trans_b, int64_t m, int64_t n, int64_t k, real alpha, const real *a, int64_t lda,
               const real *b, int64_t ldb, real beta, real *c, int64_t ldc);

/* One BLAS thread a rank unless OPENBLAS_NUM_THREADS says otherwise. Where OpenBLAS does not know the processor and
 * took kernels for an older one, newer ones are tried in a child process against a plain loop, and the program is
 * executed once more with OPENBLAS_CORETYPE set: then this does not return. A value that the user set is left alone. */
NODISCARD Status blas_prepare(int argc, char **argv);

const char *blas_name(void); /* library, version and its kernels: "OpenBLAS 0.3.21, SkylakeX" */
const char *blas_core(void); /* its kernels alone */
int blas_threads(void);
void blas_set_threads(int n);
bool blas_has_cores(void); /* one build with kernels for several processors */
bool blas_is_right(void);  /* products of odd sizes agree with a plain loop */

#endif
