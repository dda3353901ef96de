/* panel.c - packed matrices in an arena; the loops are in kernel/panel.c. */
#include "trainer/core/panel.h"

static Status pack(Panel *p, Arena *arena, const real *b, int64_t ldb, bool transposed)
{
    const int64_t lanes = kernels()->lanes;
    const int64_t columns =
        p->gates ? (p->n / p->gates + lanes - 1) / lanes * lanes * p->gates : (p->n + lanes - 1) / lanes * lanes;
    p->packed = arena_alloc(arena, (size_t)(p->k * columns) * sizeof(real));
    if (!p->packed) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    kernels()->panel_pack(p, b, ldb, transposed);
    return OK;
}

Status panel_pack_part(Panel *p, Arena *arena, const real *b, int64_t ldb, bool transposed, int64_t k, int64_t n)
{
    *p = (Panel){.k = k, .n = n};
    return pack(p, arena, b, ldb, transposed);
}

Status panel_pack(Panel *p, Arena *arena, const real *b, bool transposed, int64_t k, int64_t n)
{
    return panel_pack_part(p, arena, b, transposed ? k : n, transposed, k, n);
}

Status panel_pack_gates(Panel *p, Arena *arena, const real *b, int64_t k, int64_t h, int gates)
{
    *p = (Panel){.k = k, .n = h * gates, .gates = gates};
    return pack(p, arena, b, h * gates, false);
}

void panel_gemm(int64_t m, const real *a, int64_t lda, const Panel *p, real beta, real *c, int64_t ldc)
{
    kernels()->panel_gemm(m, a, lda, p, beta, NULL, c, ldc);
}

void panel_gemm_bias(int64_t m, const real *a, int64_t lda, const Panel *p, const real *bias, real *c, int64_t ldc)
{
    kernels()->panel_gemm(m, a, lda, p, 0, bias, c, ldc);
}
