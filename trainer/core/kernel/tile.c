/* tile.c - the inner loop of all products with a packed matrix.
 *
 * A block of a panel (48 KB) is read once from far and then by each tile from near. While the tiles of a block are
 * made, each asks for its share of the block that comes next: measured 120 without, 185 GF/s with, for 4 MB of weights.
 */
#include "trainer/core/kernel/tile.h"

enum { K_BLOCK = 256 };
#if defined(__AVX512F__)
enum { ROWS_WIDE = 6, ROWS = 8 }; /* 24 registers of sums out of 32 */
#else
enum { ROWS_WIDE = 2, ROWS = 4 }; /* 12 (8) out of 16 */
#endif

/* What is asked for while a tile is made: bytes of it at every step of k. */
typedef struct Ahead {
    const char *at;
    int64_t bytes;
} Ahead;

/* to[rows][vecs] = from[rows][vecs] + a[rows][first .. first + k) times b[k][vecs]. Everything but k is a constant to
 * the compiler. The loop stands alone, so that nothing else competes for registers. */
KERNEL_INLINE void tile(const int rows, const int vecs, int64_t first, int64_t k, const real *const *a, const real *b,
                        const real *const *from, real *const *to, Ahead ahead)
{
    Vec sum[8][TILE_VECS];
    const real *row[8];
    KERNEL_UNROLL for (int i = 0; i < rows; i++) row[i] = a[i] + first;
    KERNEL_UNROLL for (int i = 0; i < rows; i++) KERNEL_UNROLL for (int v = 0; v < vecs; v++) sum[i][v] = (Vec){0};
    if (from) {
        KERNEL_UNROLL for (int i = 0; i < rows; i++) KERNEL_UNROLL for (int v = 0; v < vecs; v++) sum[i][v] =
            vec_load(from[i] + v * LANES);
    }
    for (int64_t j = 0; j < k; j++, b += vecs * LANES, ahead.at += ahead.bytes) {
        __builtin_prefetch(ahead.at, 0, 2);
        Vec w[TILE_VECS];
        KERNEL_UNROLL for (int v = 0; v < vecs; v++) w[v] = vec_load(b + v * LANES);
        KERNEL_UNROLL for (int i = 0; i < rows; i++)
        {
            const Vec x = vec_all(row[i][j]);
            KERNEL_UNROLL for (int v = 0; v < vecs; v++) sum[i][v] += x * w[v];
        }
    }
    KERNEL_UNROLL for (int i = 0; i < rows; i++) KERNEL_UNROLL for (int v = 0; v < vecs; v++)
        vec_store(to[i] + v * LANES, sum[i][v]);
}

/* rows is most, most / 2 or 1. */
KERNEL_INLINE void tile_of(const int vecs, const int most, int rows, int64_t first, int64_t k, const real *const *a,
                           const real *b, const real *const *from, real *const *to, Ahead ahead)
{
    if (rows == most)
        tile(most, vecs, first, k, a, b, from, to, ahead);
    else if (rows == 1)
        tile(1, vecs, first, k, a, b, from, to, ahead);
    else
        tile(most / 2, vecs, first, k, a, b, from, to, ahead);
}

KERNEL_NOINLINE void tile1(int rows, int64_t first, int64_t k, const real *const *a, const real *b,
                           const real *const *from, real *const *to, Ahead ahead)
{
    tile_of(1, ROWS, rows, first, k, a, b, from, to, ahead);
}

KERNEL_NOINLINE void tile2(int rows, int64_t first, int64_t k, const real *const *a, const real *b,
                           const real *const *from, real *const *to, Ahead ahead)
{
    tile_of(2, ROWS, rows, first, k, a, b, from, to, ahead);
}

KERNEL_NOINLINE void tile3(int rows, int64_t first, int64_t k, const real *const *a, const real *b,
                           const real *const *from, real *const *to, Ahead ahead)
{
    tile_of(3, ROWS, rows, first, k, a, b, from, to, ahead);
}

KERNEL_NOINLINE void tile4(int rows, int64_t first, int64_t k, const real *const *a, const real *b,
                           const real *const *from, real *const *to, Ahead ahead)
{
    tile_of(4, ROWS_WIDE, rows, first, k, a, b, from, to, ahead);
}

static int most_rows(int vecs) { return vecs == TILE_VECS ? ROWS_WIDE : ROWS; }

static int tile_rows(int left, int most) { return left >= most ? most : left >= most / 2 ? most / 2 : 1; }

void LEVEL(tile_product)(int rows, const real *const *a, int64_t k, int vecs, const real *packed,
                         const real *const *from, real *const *to)
{
    static void (*const by_vecs[TILE_VECS])(int, int64_t, int64_t, const real *const *, const real *,
                                            const real *const *, real *const *, Ahead) = {tile1, tile2, tile3, tile4};
    const int most = most_rows(vecs);
    const int64_t width = vecs * VEC_BYTES;
    for (int64_t first = 0; first < k || first == 0; first += K_BLOCK) {
        const int64_t count = k - first < K_BLOCK ? k - first : K_BLOCK;
        const real *b = packed + first * vecs * LANES;
        const char *after =
            (const char *)(b + count * vecs * LANES); /* the next block of the panel, or the next panel */
        const real *const *start = first > 0 ? (const real *const *)to : from;
        for (int i = 0, n; i < rows; i += n) {
            n = tile_rows(rows - i, most);
            const Ahead share = {after + (i * count * width) / rows, n * width / rows};
            by_vecs[vecs - 1](n, first, count, a + i, b, start ? start + i : NULL, to + i, share);
        }
    }
}
