/* output.c - logits of a piece: w is packed some columns at a time, which stay in the cache for all rows of the piece.
 *
 * Packing costs 7 % of the product at 640 rows, less than reading a packed w of 16 MB from memory. */
#include "trainer/op/output.h"

#include "trainer/core/panel.h"
#include "trainer/op/shape.h"

enum {
    ROWS_LEAST = 512,         /* about: fewer rows make the products slower, 256 by 6 % */
    PIECE = 1 << 23,          /* logits of a piece, unless these are fewer than ROWS_LEAST rows */
    PACKED = 1 << 18,         /* numbers of w that are packed at once: 1 MB stays in the second cache */
    COLUMNS = PANEL_VECS * 16 /* a multiple of a panel's columns at every level of kernels */
};

bool output_of(Output *o, Tape *t, const char *op, const Node *x, const Node *w, const Node *bias,
               const int32_t *target)
{
    if (t->status != OK) return false;
    if (!op_is(x, 2) || !op_is(w, 2) || x->shape.d[1] != w->shape.d[1]) {
        (void)op_refuse(t, "%s of %s by %s", op, op_shape_text(x), op_shape_text(w));
        return false;
    }
    *o = (Output){x->shape.d[0], x->shape.d[1], w->shape.d[0], x->value, w->value, bias ? bias->value : NULL};
    if (bias && shape_count(&bias->shape) != o->V) {
        (void)op_refuse(t, "%s over %lld words with a bias of %s", op, (long long)o->V, op_shape_text(bias));
        return false;
    }
    int64_t at;
    if (op_ids_within(o->N, target, o->V, &at)) return true;
    (void)op_refuse_as(t, ERR_DATA, "word %d at position %lld is not one of the %lld words 0 to %lld", (int)target[at],
                       (long long)at, (long long)o->V, (long long)o->V - 1);
    return false;
}

int64_t output_piece(const Output *o)
{
    int64_t most = PIECE / o->V;
    if (most < ROWS_LEAST) most = ROWS_LEAST;
    const int64_t pieces = (o->N + most - 1) / most;
    return pieces > 1 ? (o->N + pieces - 1) / pieces : o->N; /* pieces of equal size */
}

Status output_logits(const Output *o, Arena *arena, int64_t first, int64_t n, real *z)
{
    const int64_t fit = PACKED / o->D / COLUMNS * COLUMNS, columns = fit > COLUMNS ? fit : COLUMNS;
    for (int64_t c = 0; c < o->V; c += columns) {
        const int64_t here = o->V - c < columns ? o->V - c : columns;
        const ArenaMark mark = arena_mark(arena);
        Panel p;
        TRY(panel_pack_part(&p, arena, o->w + c * o->D, o->D, true, o->D, here));
        panel_gemm_bias(n, o->x + first * o->D, o->D, &p, o->bias ? o->bias + c : NULL, z + c, o->V);
        arena_release(arena, mark);
    }
    return OK;
}
