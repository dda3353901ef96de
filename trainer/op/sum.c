/* sum.c - the sum of all elements. */
#include "trainer/op/shape.h"

/* dx_i = dy */
static void backward(Tape *t, Node *y)
{
    real *dx = node_grad(t, y->in[0]);
    const int64_t n = shape_count(&y->in[0]->shape);
    for (int64_t i = 0; dx && i < n; i++) dx[i] += y->grad[0];
}

static const OpDef def = {"sum", backward};

/* y = sum_i x_i */
Node *op_sum(Tape *t, Node *x)
{
    bool ok;
    Node *y = tape_node(t, &def, SHAPE1(1), 1, &x, &ok);
    if (!ok) return y;
    const int64_t n = shape_count(&x->shape);
    double sum = 0; /* many small terms */
    for (int64_t i = 0; i < n; i++) sum += (double)x->value[i];
    y->value[0] = (real)sum;
    return y;
}
