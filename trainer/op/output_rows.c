/* output_rows.c - what an evaluation asks of each position: the loss of its word, and the likeliest word. */
#include "trainer/core/kernel.h"
#include "trainer/op/op.h"
#include "trainer/op/output.h"

/* loss_r = log sum exp z_r - z_ry, 0 or more */
void op_output_rows(Tape *t, const Node *x, const Node *w, const Node *bias, const int32_t *target, double *loss,
                    int32_t *guess)
{
    Output o;
    if (!output_of(&o, t, "output_rows", x, w, bias, target)) return;
    const int64_t rows = output_piece(&o), V = o.V;
    const ArenaMark mark = arena_mark(t->arena);
    real *z = tape_alloc(t, (size_t)(rows * V) * sizeof *z);
    for (int64_t first = 0; z && first < o.N; first += rows) {
        const int64_t n = o.N - first < rows ? o.N - first : rows;
        tape_fail(t, output_logits(&o, t->arena, first, n, z));
        if (t->status != OK) break;
        for (int64_t r = 0; r < n; r++) {
            int64_t best;
            loss[first + r] = kernels()->log_sum_exp(V, z + r * V, &best) - (double)z[r * V + target[first + r]];
            guess[first + r] = (int32_t)best;
        }
    }
    arena_release(t->arena, mark);
}
