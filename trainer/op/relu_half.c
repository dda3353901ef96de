/* relu_half.c - relu of the second half of the columns (Mikolov 2014; Sukhbaatar 2015, language modelling). */
#include "trainer/op/shape.h"

/* dx = dy in the first half, dy where x > 0 in the second */
static void backward(Tape *t, Node *y)
{
    real *dx = node_grad(t, y->in[0]);
    if (!dx) return;
    const int64_t width = y->shape.d[1], n = shape_count(&y->shape);
    for (int64_t i = 0; i < n; i++)
        if (i % width < width / 2 || y->value[i] > 0) dx[i] += y->grad[i];
}

static const OpDef def = {"relu_half", backward};

/* y_c = x_c for c < D/2, max(x_c, 0) from there on */
Node *op_relu_half(Tape *t, Node *x)
{
    if (!op_is(x, 2)) return op_refuse(t, "relu_half of %s: two axes are wanted", op_shape_text(x));
    bool ok;
    Node *y = op_like(t, &def, x, &ok);
    if (!ok) return y;
    const int64_t width = x->shape.d[1], n = shape_count(&x->shape);
    for (int64_t i = 0; i < n; i++) y->value[i] = i % width < width / 2 || x->value[i] > 0 ? x->value[i] : 0;
    return y;
}
