/* sum_squares.c - the sum of the squares of all elements. */
#include "trainer/op/shape.h"

/* dx_i = 2 x_i dy */
static void backward(Tape *t, Node *y)
{
    const Node *x = y->in[0];
    real *dx = node_grad(t, y->in[0]);
    const int64_t n = shape_count(&x->shape);
    for (int64_t i = 0; dx && i < n; i++) dx[i] += 2 * x->value[i] * y->grad[0];
}

static const OpDef def = {"sum_squares", backward};

/* y = sum_i x_i^2 */
Node *op_sum_squares(Tape *t, Node *x)
{
    bool ok;
    Node *y = tape_node(t, &def, SHAPE1(1), 1, &x, &ok);
    if (!ok) return y;
    const int64_t n = shape_count(&x->shape);
    double sum = 0; /* many small terms */
    for (int64_t i = 0; i < n; i++) sum += (double)x->value[i] * (double)x->value[i];
    y->value[0] = (real)sum;
    return y;
}
