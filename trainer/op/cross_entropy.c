/* cross_entropy.c - the loss of a classifier, summed over the examples. */
#include "trainer/core/kernel.h"
#include "trainer/op/shape.h"

typedef struct Keep {
    const int32_t *target;
    const real *weight;
    real smoothing;
    real *p; /* (N,C) softmax */
} Keep;

/* dx_rc = weight_y (p_rc - (1 - e) [c = y] - e / C) dy */
static void backward(Tape *t, Node *y)
{
    const Keep *k = y->data;
    const int64_t N = y->in[0]->shape.d[0], C = y->in[0]->shape.d[1];
    real *dx = node_grad(t, y->in[0]);
    for (int64_t r = 0; dx && r < N; r++) {
        const real scale = y->grad[0] * (k->weight ? k->weight[k->target[r]] : 1);
        kernels()->axpy(C, scale, k->p + r * C, dx + r * C);
        dx[r * C + k->target[r]] -= scale * (1 - k->smoothing);
        if (k->smoothing == 0) continue;
        for (int64_t c = 0; c < C; c++) dx[r * C + c] -= scale * k->smoothing / (real)C;
    }
}

static const OpDef def = {"cross_entropy", backward};

/* p = softmax(x); returns the mean of -log p over the smoothed labels: log sum exp(x) - (1 - e) x_target - e mean(x).
 */
static double row_loss(int64_t C, const real *x, real *p, int32_t target, real e)
{
    const real all = kernels()->softmax(C, x, p);
    const double sharp = (double)(all - x[target]);
    if (e == 0) return sharp;
    double even = 0;
    for (int64_t c = 0; c < C; c++) even += (double)(all - x[c]) / (double)C;
    return (1 - (double)e) * sharp + (double)e * even;
}

/* y = -sum_r weight_y ((1 - e) log softmax(x_r)_y + e mean over c of log softmax(x_r)_c), e the smoothing (Szegedy
 * 2016); target and weight are borrowed until the tape ends. */
Node *op_cross_entropy(Tape *t, Node *x, const int32_t *target, const real *weight, double smoothing)
{
    if (!op_is(x, 2)) return op_refuse(t, "cross_entropy of %s: two axes are wanted", op_shape_text(x));
    const int64_t N = x->shape.d[0], C = x->shape.d[1];
    int64_t at;
    if (t->status == OK && !op_ids_within(N, target, C, &at))
        return op_refuse_as(t, ERR_DATA, "label %d of row %lld is not one of the %lld labels 0 to %lld",
                            (int)target[at], (long long)at, (long long)C, (long long)C - 1);
    bool ok;
    Node *y = tape_node(t, &def, SHAPE1(1), 1, &x, &ok);
    if (!ok) return y;
    Keep *k = y->data = tape_alloc(t, sizeof *k);
    real *p = tape_alloc(t, (size_t)(N * C) * sizeof *p);
    if (!p) return y;
    *k = (Keep){target, weight, (real)smoothing, p};
    double sum = 0;
    for (int64_t r = 0; r < N; r++)
        sum += (weight ? (double)weight[target[r]] : 1) *
               row_loss(C, x->value + r * C, p + r * C, target[r], k->smoothing);
    y->value[0] = (real)sum;
    return y;
}
