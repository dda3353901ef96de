/* tile.h - products of rows by one panel, left in a buffer for what comes next: a store, or the gates of a cell. */
#ifndef TRAINER_CORE_KERNEL_TILE_H
#define TRAINER_CORE_KERNEL_TILE_H
#include "trainer/core/kernel/vector.h"

enum {
    TILE_VECS = 4,                                       /* most vectors of a panel */
    TILE_BUFFER = PANEL_ROWS_MAX * TILE_VECS * LANES + 8 /* reals that tile_product writes */
};

static inline int64_t tile_panels(const Panel *p)
{
    const int64_t columns = p->gates ? LANES : PANEL_VECS * LANES;
    return ((p->gates ? p->n / p->gates : p->n) + columns - 1) / columns;
}

/* Vectors of that panel: the last one of an ordinary matrix may be narrower. */
static inline int tile_vecs(const Panel *p, int64_t panel)
{
    if (p->gates) return p->gates;
    const int64_t left = (p->n + LANES - 1) / LANES - panel * PANEL_VECS;
    return left < PANEL_VECS ? (int)left : PANEL_VECS;
}

/* Row i of k numbers at a[i], times the panel packed [k][vecs * LANES]. The sums start from the vecs vectors at from[i]
 * (NULL: from 0) and end at to[i], which may be the same. rows <= PANEL_ROWS_MAX */
void LEVEL(tile_product)(int rows, const real *const *a, int64_t k, int vecs, const real *packed,
                         const real *const *from, real *const *to);

/* The rows of a step as tile_product wants them. */
typedef struct TileStep {
    const real *in[PANEL_ROWS_MAX];
    real *to[PANEL_ROWS_MAX];
} TileStep;

static inline void tile_step_rows(const StepRows *s, int vecs, real *tiles, TileStep *t)
{
    for (int i = 0; i < s->rows; i++) {
        t->in[i] = s->in + i * s->h;
        t->to[i] = tiles + i * vecs * LANES;
    }
}

/* State before times one panel of U; nothing to multiply when that state is 0. */
static inline void tile_step(const StepRows *s, const TileStep *t, const Panel *u, int vecs, const real *packed)
{
    if (s->first)
        memset(t->to[0], 0, (size_t)(s->rows * vecs) * VEC_BYTES);
    else
        LEVEL(tile_product)(s->rows, t->in, u->k, vecs, packed, NULL, t->to);
}

/* The inputs of a step lie anywhere: ask for them before the products, which take longer than they need to come. */
static inline void tile_prefetch(const StepRows *s, int gates)
{
    const int64_t line = 64 / (int64_t)sizeof(real);
    for (int i = 0; i < s->rows; i++)
        for (int64_t j = 0; j < gates * s->h; j += line) __builtin_prefetch(s->input[i] + j);
}

#endif
