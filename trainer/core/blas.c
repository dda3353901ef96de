/* blas.c - the only place of <cblas.h>. */
#include "trainer/core/blas.h"

#include <cblas.h>
#include <stdio.h>
#include <string.h>

void blas_gemm(bool trans_a, bool trans_b, int64_t m, int64_t n, int64_t k, real alpha, const real *a, int64_t lda,
               const real *b, int64_t ldb, real beta, real *c, int64_t ldc)
{
    const CBLAS_TRANSPOSE ta = trans_a ? CblasTrans : CblasNoTrans, tb = trans_b ? CblasTrans : CblasNoTrans;
    if (m == 0 || n == 0) return;
    if (k == 0) { /* a rank without rows may hold no A and B, and ld 0 is refused */
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++) c[i * ldc + j] = beta == 0 ? 0 : beta * c[i * ldc + j];
        return;
    }
#ifdef MNEME_DOUBLE
    cblas_dgemm(CblasRowMajor, ta, tb, (int)m, (int)n, (int)k, alpha, a, (int)lda, b, (int)ldb, beta, c, (int)ldc);
#else
    cblas_sgemm(CblasRowMajor, ta, tb, (int)m, (int)n, (int)k, alpha, a, (int)lda, b, (int)ldb, beta, c, (int)ldc);
#endif
}

const char *blas_core(void) { return openblas_get_corename(); }

bool blas_has_cores(void) { return strstr(openblas_get_config(), "DYNAMIC_ARCH") != NULL; }

int blas_threads(void) { return openblas_get_num_threads(); }

void blas_set_threads(int n) { openblas_set_num_threads(n); }

const char *blas_name(void)
{
    static _Thread_local char name[128];
    char config[128] = "";
    snprintf(config, sizeof config, "%s", openblas_get_config()); /* "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..." */
    char *end = strchr(config, ' ');
    if (end) end = strchr(end + 1, ' ');
    if (end) *end = '\0';
    snprintf(name, sizeof name, "%s, %s", config, blas_core());
    return name;
}
