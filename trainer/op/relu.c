/* relu.c - y = max(x, 0), element by element. */
#include "trainer/op/shape.h"

/* dx = dy where x > 0 */
static void backward(Tape *t, Node *y)
{
    real *dx = node_grad(t, y->in[0]);
    if (!dx) return;
    const int64_t n = shape_count(&y->shape);
    const real *out = y->value, *dy = y->grad;
    for (int64_t i = 0; i < n; i++) dx[i] += out[i] > 0 ? dy[i] : 0;
}

static const OpDef def = {"relu", backward};

/* y = max(x, 0) */
Node *op_relu(Tape *t, Node *x)
{
    bool ok;
    Node *y = op_like(t, &def, x, &ok);
    if (!ok) return y;
    const int64_t n = shape_count(&x->shape);
    const real *in = x->value;
    for (int64_t i = 0; i < n; i++) y->value[i] = in[i] > 0 ? in[i] : 0;
    return y;
}
