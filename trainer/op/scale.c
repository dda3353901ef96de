/* scale.c - a constant times x. */
#include "trainer/op/shape.h"

/* dx = factor dy */
static void backward(Tape *t, Node *y)
{
    real *dx = node_grad(t, y->in[0]);
    if (!dx) return;
    const real factor = *(const real *)y->data;
    const int64_t n = shape_count(&y->shape);
    for (int64_t i = 0; i < n; i++) dx[i] += factor * y->grad[i];
}

static const OpDef def = {"scale", backward};

/* y = factor x */
Node *op_scale(Tape *t, Node *x, real factor)
{
    bool ok;
    Node *y = op_like(t, &def, x, &ok);
    if (!ok) return y;
    real *keep = y->data = tape_alloc(t, sizeof *keep);
    if (!keep) return y;
    *keep = factor;
    const int64_t n = shape_count(&x->shape);
    for (int64_t i = 0; i < n; i++) y->value[i] = factor * x->value[i];
    return y;
}
