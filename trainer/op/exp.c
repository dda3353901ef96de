/* exp.c - y = exp(x), element by element. */
#include "trainer/core/kernel.h"
#include "trainer/op/shape.h"

/* dx = y dy */
static void backward(Tape *t, Node *y)
{
    real *dx = node_grad(t, y->in[0]);
    if (!dx) return;
    const int64_t n = shape_count(&y->shape);
    const real *out = y->value, *dy = y->grad;
    for (int64_t i = 0; i < n; i++) dx[i] += out[i] * dy[i];
}

static const OpDef def = {"exp", backward};

/* y = exp(x) */
Node *op_exp(Tape *t, Node *x)
{
    bool ok;
    Node *y = op_like(t, &def, x, &ok);
    if (ok) kernels()->exp(shape_count(&x->shape), x->value, y->value);
    return y;
}
