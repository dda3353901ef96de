/* output_loss.c - output layer and cross-entropy in one, for vocabularies whose logits must not all be kept.
 *
 * For a piece of rows: logits z = x w^T + b, the loss, z turned into its gradient where it lies, and from that at once
 * the piece's part of dx, dw and db. So each logit is computed once: three products of N D V, 3 x 10.5 GFLOP for 1,280
 * positions of 512 numbers and 8,000 words. dw and db are added for d loss = 1, which is what a loss nearly always
 * has; should backward find another, it makes up for the difference. */
#include "trainer/core/blas.h"
#include "trainer/core/kernel.h"
#include "trainer/op/op.h"
#include "trainer/op/output.h"
#include "trainer/op/shape.h"

typedef struct Keep {
    Output o;
    const int32_t *target;
    double smoothing;
    real *loss;     /* (N) out, or NULL */
    real *dx;       /* (N,D) for d loss = 1; NULL: not wanted */
    real *dw, *db;  /* the inputs' gradients; NULL: not wanted */
    bool gradients; /* any of them */
} Keep;

/* Losses of a piece; z becomes factor times their gradient:
 *   loss = log sum exp z - (1 - e) z_y - e mean z,  dz_c = p_c - (1 - e) [c = y] - e / V */
static double losses(const Keep *k, int64_t first, int64_t n, real factor, real *z)
{
    const int64_t V = k->o.V;
    const double e = k->smoothing;
    double sum = 0;
    for (int64_t r = 0; r < n; r++) {
        real *row = z + r * V;
        const int32_t y = k->target[first + r];
        const double chosen = (double)row[y];
        double all, mean = 0;
        if (k->gradients) {
            all = kernels()->softmax_gradient(V, factor, (real)(e / (double)V), row, e > 0 ? &mean : NULL);
            row[y] -= factor * (real)(1 - e);
            if (k->db) kernels()->add(V, row, k->db);
        } else {
            int64_t best;
            all = kernels()->log_sum_exp(V, row, &best);
            for (int64_t c = 0; e > 0 && c < V; c++) mean += (double)row[c] / (double)V;
        }
        if (k->loss) k->loss[first + r] = (real)(all - chosen);
        sum += all - (1 - e) * chosen - e * mean;
    }
    return sum;
}

/* All pieces: the sum of the losses, dx = ..., and dw, db += factor times theirs. */
static double pieces(Tape *t, const Keep *k, real factor, real *dx)
{
    const Output *o = &k->o;
    const int64_t rows = output_piece(o), D = o->D, V = o->V;
    const ArenaMark mark = arena_mark(t->arena);
    real *z = tape_alloc(t, (size_t)(rows * V) * sizeof *z);
    double sum = 0;
    for (int64_t first = 0; z && first < o->N && t->status == OK; first += rows) {
        const int64_t n = o->N - first < rows ? o->N - first : rows;
        tape_fail(t, output_logits(o, t->arena, first, n, z));
        if (t->status != OK) break;
        sum += losses(k, first, n, factor, z);
        if (dx) blas_gemm(false, false, n, D, V, 1, z, V, o->w, D, 0, dx + first * D, D);
        if (k->dw) blas_gemm(true, false, V, D, n, 1, z, V, o->x + first * D, D, 1, k->dw, D);
    }
    arena_release(t->arena, mark);
    return sum;
}

static void backward(Tape *t, Node *y)
{
    const Keep *k = y->data;
    const real d = y->grad[0];
    real *dx = k->dx ? node_grad(t, y->in[0]) : NULL;
    if (dx) kernels()->axpy(k->o.N * k->o.D, d, k->dx, dx);
    if (d != 1 && (k->dw || k->db)) {
        Keep again = *k;
        again.loss = NULL;
        (void)pieces(t, &again, d - 1, NULL);
    }
}

static const OpDef def = {"output_loss", backward};

Node *op_output_loss(Tape *t, Node *x, Node *w, Node *bias, const int32_t *target, double smoothing, real *loss)
{
    Output o;
    if (w->param && w->param->as_rows)
        return op_refuse(t, "output_loss: the gradient of %s is kept as rows, but all of them have one", w->label);
    if (!output_of(&o, t, "output_loss", x, w, bias, target)) return op_refuse(t, "output_loss");
    bool ok;
    Node *y = tape_node(t, &def, SHAPE1(1), bias ? 3 : 2, (Node *[]){x, w, bias}, &ok);
    if (!ok) return y;
    Keep *k = y->data = tape_alloc(t, sizeof *k);
    if (!k) return y;
    *k = (Keep){.o = o, .target = target, .smoothing = smoothing, .loss = loss, .gradients = y->needs_grad};
    if (x->needs_grad) k->dx = tape_alloc(t, (size_t)(o.N * o.D) * sizeof *k->dx);
    k->dw = node_grad(t, w);
    k->db = bias ? node_grad(t, bias) : NULL;
    y->value[0] = (real)pieces(t, k, 1, k->dx);
    return y;
}
