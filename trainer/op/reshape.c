/* reshape.c - the same elements under another shape; the memory is shared. */
#include "trainer/op/shape.h"

/* dx = dy */
static void backward(Tape *t, Node *y)
{
    real *dx = node_grad(t, y->in[0]);
    const int64_t n = shape_count(&y->shape);
    for (int64_t i = 0; dx && i < n; i++) dx[i] += y->grad[i];
}

static const OpDef def = {"reshape", backward};

Node *op_reshape(Tape *t, Node *x, Shape shape)
{
    if (shape_count(&shape) != shape_count(&x->shape))
        return op_refuse(t, "reshape of %s into %lld elements", op_shape_text(x), (long long)shape_count(&shape));
    bool ok;
    Node *y = tape_node(t, &def, SHAPE1(0), 1, &x, &ok);
    if (!ok) return y;
    y->shape = shape;
    y->value = x->value;
    return y;
}
