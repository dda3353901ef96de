/* panel.c - C = beta C + A P with P packed: tiles of 4 or 8 rows by up to 4 vectors whose sums stay in registers.
 *
 * Each element is the sum over k in ascending order, in one chain of multiply-adds, whatever M is. K goes in blocks of
 * 256, so that a block of a panel stays near; between blocks the sums rest in a small buffer, which rounds nothing. */
#include "trainer/core/kernel/tile.h"

/* Column of B that lies in panel p, vector v, lane 0; *valid: how many lanes hold columns. */
static int64_t column(const Panel *p, int64_t panel, int v, int64_t *valid)
{
    const int64_t units = p->gates ? p->n / p->gates : p->n;
    const int64_t first = (p->gates ? panel : panel * PANEL_VECS + v) * LANES;
    *valid = units - first < 0 ? 0 : units - first < LANES ? units - first : LANES;
    return p->gates ? v * units + first : first;
}

void LEVEL(kernel_panel_pack)(Panel *p, const real *b, int64_t ldb, bool transposed)
{
    real *to = p->packed;
    for (int64_t panel = 0; panel < tile_panels(p); panel++) {
        const int vecs = tile_vecs(p, panel);
        for (int v = 0; v < vecs; v++) {
            int64_t valid;
            const int64_t c = column(p, panel, v, &valid);
            for (int64_t k = 0; k < p->k; k++) {
                real *row = to + (k * vecs + v) * LANES;
                for (int64_t j = 0; j < LANES; j++)
                    row[j] = j >= valid ? 0 : transposed ? b[(c + j) * ldb + k] : b[k * ldb + c + j];
            }
        }
        to += p->k * vecs * LANES;
    }
}

static void store(const real *tile, int vecs, int64_t width, real beta, const real *bias, real *c)
{
    for (int v = 0; v < vecs; v++) {
        const int64_t left = width - v * LANES;
        Vec x = vec_load(tile + v * LANES);
        if (bias) x += vec_get(bias + v * LANES, left);
        if (beta != 0) x = beta * vec_get(c + v * LANES, left) + x;
        vec_put(c + v * LANES, left, x);
    }
}

void LEVEL(kernel_panel_rows)(int rows, const real *const *a, const Panel *p, real beta, const real *bias,
                              real *const *c)
{
    real tiles[TILE_BUFFER] __attribute__((aligned(64)));
    const real *packed = p->packed;
    for (int64_t panel = 0; panel < tile_panels(p); panel++) {
        const int vecs = tile_vecs(p, panel);
        LEVEL(tile_product)(rows, a, p->k, vecs, packed, tiles);
        const int64_t first = panel * PANEL_VECS * LANES;
        for (int i = 0; i < rows; i++)
            store(tiles + i * vecs * LANES, vecs, p->n - first, beta, bias ? bias + first : NULL, c[i] + first);
        packed += p->k * vecs * LANES;
    }
}

void LEVEL(kernel_panel_gemm)(int64_t m, const real *a, int64_t lda, const Panel *p, real beta, const real *bias,
                              real *c, int64_t ldc)
{
    for (int64_t first = 0; first < m; first += PANEL_ROWS_MAX) {
        const int rows = m - first < PANEL_ROWS_MAX ? (int)(m - first) : PANEL_ROWS_MAX;
        const real *from[PANEL_ROWS_MAX];
        real *to[PANEL_ROWS_MAX];
        for (int i = 0; i < rows; i++) {
            from[i] = a + (first + i) * lda;
            to[i] = c + (first + i) * ldc;
        }
        LEVEL(kernel_panel_rows)(rows, from, p, beta, bias, to);
    }
}
