/* softmax.c - y = softmax(x) over the last axis. */
#include "trainer/core/kernel.h"
#include "trainer/op/shape.h"

/* dx_i = y_i (dy_i - sum_j dy_j y_j) */
static void backward(Tape *t, Node *y)
{
    real *dx = node_grad(t, y->in[0]);
    const int64_t n = y->shape.d[y->shape.n - 1], count = shape_count(&y->shape);
    for (int64_t at = 0; dx && at < count; at += n)
        kernels()->softmax_backward(n, y->value + at, y->grad + at, dx + at);
}

static const OpDef def = {"softmax", backward};

/* y_i = exp(x_i - max x) / sum_j exp(x_j - max x); the shift keeps exp() in range. */
Node *op_softmax(Tape *t, Node *x)
{
    const int64_t n = x->shape.d[x->shape.n - 1], count = shape_count(&x->shape);
    bool ok;
    Node *y = op_like(t, &def, x, &ok);
    for (int64_t at = 0; ok && at < count; at += n) (void)kernels()->softmax(n, x->value + at, y->value + at);
    return y;
}
