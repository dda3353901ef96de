/* cross_entropy.c - the loss of a classifier, summed over the examples. */
#include "trainer/core/kernel.h"
#include "trainer/op/shape.h"

typedef struct Keep {
    const int32_t *target;
    const real *weight;
    real *p; /* (N,C) softmax */
} Keep;

/* dx_rc = weight_y (p_rc - [c = y]) dy */
static void backward(Tape *t, Node *y)
{
    const Keep *k = y->data;
    const int64_t N = y->in[0]->shape.d[0], C = y->in[0]->shape.d[1];
    real *dx = node_grad(t, y->in[0]);
    for (int64_t r = 0; dx && r < N; r++) {
        const real scale = y->grad[0] * (k->weight ? k->weight[k->target[r]] : 1);
        kernels()->axpy(C, scale, k->p + r * C, dx + r * C);
        dx[r * C + k->target[r]] -= scale;
    }
}

static const OpDef def = {"cross_entropy", backward};

/* p = softmax(x); returns -log p_target = log sum exp(x) - x_target. */
static double row_loss(int64_t C, const real *x, real *p, int32_t target)
{
    return (double)(kernels()->softmax(C, x, p) - x[target]);
}

/* y = -sum_r weight_y log softmax(x_r)_y; target and weight are borrowed until the tape ends. */
Node *op_cross_entropy(Tape *t, Node *x, const int32_t *target, const real *weight)
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
    *k = (Keep){target, weight, p};
    double sum = 0;
    for (int64_t r = 0; r < N; r++)
        sum += (weight ? (double)weight[target[r]] : 1) * row_loss(C, x->value + r * C, p + r * C, target[r]);
    y->value[0] = (real)sum;
    return y;
}
