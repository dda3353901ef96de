/* sigmoid.c - y = 1 / (1 + exp(-x)), element by element. */
#include <math.h>

#include "trainer/op/shape.h"

/* dx = y (1 - y) dy */
static void backward(Tape *t, Node *y)
{
    real *dx = node_grad(t, y->in[0]);
    if (!dx) return;
    const int64_t n = shape_count(&y->shape);
    const real *out = y->value, *dy = y->grad;
    for (int64_t i = 0; i < n; i++) dx[i] += out[i] * (1 - out[i]) * dy[i];
}

static const OpDef def = {"sigmoid", backward};

/* y = 1 / (1 + exp(-x)) */
Node *op_sigmoid(Tape *t, Node *x)
{
    bool ok;
    Node *y = op_like(t, &def, x, &ok);
    if (!ok) return y;
    const int64_t n = shape_count(&x->shape);
    const real *in = x->value;
    for (int64_t i = 0; i < n; i++) y->value[i] = (real)(1 / (1 + exp(-(double)in[i])));
    return y;
}
