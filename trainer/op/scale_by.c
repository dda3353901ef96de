/* scale_by.c - a learnt number times x. */
#include "trainer/op/shape.h"

/* dx = factor dy, dfactor = sum x dy */
static void backward(Tape *t, Node *y)
{
    const Node *x = y->in[0];
    const real factor = y->in[1]->value[0];
    const int64_t n = shape_count(&y->shape);
    real *dx = node_grad(t, y->in[0]), *dfactor = node_grad(t, y->in[1]);
    for (int64_t i = 0; dx && i < n; i++) dx[i] += factor * y->grad[i];
    real sum = 0;
    for (int64_t i = 0; i < n; i++) sum += x->value[i] * y->grad[i];
    if (dfactor) dfactor[0] += sum;
}

static const OpDef def = {"scale_by", backward};

/* y = factor x */
Node *op_scale_by(Tape *t, Node *x, Node *factor)
{
    if (shape_count(&factor->shape) != 1) return op_refuse(t, "scale_by a factor of shape %s", op_shape_text(factor));
    bool ok;
    Node *y = tape_node(t, &def, x->shape, 2, (Node *[]){x, factor}, &ok);
    if (!ok) return y;
    const int64_t n = shape_count(&x->shape);
    for (int64_t i = 0; i < n; i++) y->value[i] = factor->value[0] * x->value[i];
    return y;
}
