/* maxout.c - the larger of each pair of neighbouring columns (Goodfellow 2013). */
#include "trainer/op/shape.h"

/* dx of the larger one = dy; of equal ones the first */
static void backward(Tape *t, Node *y)
{
    real *dx = node_grad(t, y->in[0]);
    const real *x = y->in[0]->value;
    const int64_t n = shape_count(&y->shape);
    for (int64_t i = 0; dx && i < n; i++) dx[x[2 * i + 1] > x[2 * i] ? 2 * i + 1 : 2 * i] += y->grad[i];
}

static const OpDef def = {"maxout", backward};

/* y_j = max(x_{2j}, x_{2j+1}) */
void op_maxout_rows(int64_t n, const real *x, real *y)
{
    for (int64_t i = 0; i < n; i++) y[i] = x[2 * i + 1] > x[2 * i] ? x[2 * i + 1] : x[2 * i];
}

Node *op_maxout(Tape *t, Node *x)
{
    if (!op_is(x, 2) || x->shape.d[1] % 2) return op_refuse(t, "maxout of %s: pairs are wanted", op_shape_text(x));
    bool ok;
    Node *y = tape_node(t, &def, SHAPE2(x->shape.d[0], x->shape.d[1] / 2), 1, &x, &ok);
    if (ok) op_maxout_rows(shape_count(&y->shape), x->value, y->value);
    return y;
}
