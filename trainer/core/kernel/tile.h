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

/* tiles[i][vecs * LANES] = a[i] (k) times the panel packed [k][vecs * LANES]; rows <= PANEL_ROWS_MAX */
void LEVEL(tile_product)(int rows, const real *const *a, int64_t k, int vecs, const real *packed, real *tiles);

/* The products of a step of a recurrent cell: nothing to multiply when the state before is 0. */
static inline void tile_step(const StepRows *s, const Panel *u, int vecs, const real *packed, real *tiles)
{
    if (s->first)
        memset(tiles, 0, (size_t)(s->rows * vecs) * VEC_BYTES);
    else
        LEVEL(tile_product)(s->rows, s->in, u->k, vecs, packed, tiles);
}

#endif
