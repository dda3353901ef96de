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

/* What the sums of each row start from, in a tile of vecs vectors a row of which `width` columns exist; to[i]: its
 * rows. */
static void start_sums(int rows, int vecs, int64_t width, real beta, const real *bias, real *const *c, real *tile,
                       real **to)
{
    for (int i = 0; i < rows; i++) {
        to[i] = tile + i * vecs * LANES;
        for (int v = 0; v < vecs; v++) {
            const int64_t left = width - v * LANES;
            Vec x = {0};
            if (bias) x += vec_get(bias + v * LANES, left);
            if (beta != 0) x += beta * vec_get(c[i] + v * LANES, left);
            vec_store(to[i] + v * LANES, x);
        }
    }
}

/* Through a buffer: the end of a row, or sums that start from more than one thing. */
static void buffered(int rows, const real *const *a, int64_t k, int vecs, const real *packed, int64_t width, real beta,
                     const real *bias, real *const *c)
{
    real tiles[TILE_BUFFER] __attribute__((aligned(64)));
    real *to[PANEL_ROWS_MAX] = {tiles};
    start_sums(rows, vecs, width, beta, bias, c, tiles, to);
    LEVEL(tile_product)(rows, a, k, vecs, packed, (const real *const *)to, to);
    for (int i = 0; i < rows; i++)
        for (int v = 0; v < vecs; v++) vec_put(c[i] + v * LANES, width - v * LANES, vec_load(to[i] + v * LANES));
}

/* Of a matrix packed by units: the columns of each gate go where they were before. */
static void regrouped(int rows, const real *const *a, const Panel *p, int64_t panel, const real *packed, real beta,
                      const real *bias, real *const *c)
{
    real tiles[TILE_BUFFER] __attribute__((aligned(64)));
    real *to[PANEL_ROWS_MAX] = {tiles};
    int64_t valid;
    for (int i = 0; i < rows; i++) {
        to[i] = tiles + i * p->gates * LANES;
        for (int v = 0; v < p->gates; v++) {
            const int64_t at = column(p, panel, v, &valid);
            Vec x = {0};
            if (bias) x += vec_get(bias + at, valid);
            if (beta != 0) x += beta * vec_get(c[i] + at, valid);
            vec_store(to[i] + v * LANES, x);
        }
    }
    LEVEL(tile_product)(rows, a, p->k, p->gates, packed, (const real *const *)to, to);
    for (int i = 0; i < rows; i++)
        for (int v = 0; v < p->gates; v++) {
            const int64_t at = column(p, panel, v, &valid);
            vec_put(c[i] + at, valid, vec_load(to[i] + v * LANES));
        }
}

/* The sums start from the bias or from what is there, in the buffered way too: the same bits in both. */
void LEVEL(kernel_panel_rows)(int rows, const real *const *a, const Panel *p, real beta, const real *bias,
                              real *const *c)
{
    const real *packed = p->packed;
    for (int64_t panel = 0; panel < tile_panels(p); panel++) {
        const int vecs = tile_vecs(p, panel);
        if (p->gates) {
            regrouped(rows, a, p, panel, packed, beta, bias, c);
            packed += p->k * vecs * LANES;
            continue;
        }
        const int64_t first = panel * PANEL_VECS * LANES, width = p->n - first;
        const real *from[PANEL_ROWS_MAX];
        real *to[PANEL_ROWS_MAX];
        for (int i = 0; i < rows; i++) {
            to[i] = c[i] + first;
            from[i] = bias ? bias + first : to[i];
        }
        const bool plain = width >= vecs * LANES && (beta == 0 || (beta == 1 && !bias));
        if (plain)
            LEVEL(tile_product)(rows, a, p->k, vecs, packed, bias || beta != 0 ? from : NULL, to);
        else
            buffered(rows, a, p->k, vecs, packed, width, beta, bias ? bias + first : NULL, to);
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
