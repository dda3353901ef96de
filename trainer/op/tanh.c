/* tanh.c - y = tanh(x), element by element. */
#include "trainer/core/kernel.h"
#include "trainer/op/shape.h"

/* dx = (1 - y^2) dy */
static void backward(Tape *t, Node *y)
{
    real *dx = node_grad(t, y->in[0]);
    if (!dx) return;
    const int64_t n = shape_count(&y->shape);
    const real *out = y->value, *dy = y->grad;
    for (int64_t i = 0; i < n; i++) dx[i] += (1 - out[i] * out[i]) * dy[i];
}

static const OpDef def = {"tanh", backward};

/* y = tanh(x) */
Node *op_tanh(Tape *t, Node *x)
{
    bool ok;
    Node *y = op_like(t, &def, x, &ok);
    if (ok) kernels()->tanh(shape_count(&x->shape), x->value, y->value);
    return y;
}
