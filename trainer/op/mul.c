/* mul.c - y = a b, element by element. */
#include "trainer/op/shape.h"

/* da = b dy, db = a dy */
static void backward(Tape *t, Node *y)
{
    const int64_t n = shape_count(&y->shape);
    const real *dy = y->grad;
    const real *a = y->in[0]->value, *b = y->in[1]->value;
    real *da = node_grad(t, y->in[0]);
    if (da)
        for (int64_t i = 0; i < n; i++) da[i] += dy[i] * b[i];
    real *db = node_grad(t, y->in[1]);
    if (db)
        for (int64_t i = 0; i < n; i++) db[i] += dy[i] * a[i];
}

static const OpDef def = {"mul", backward};

/* y = a b */
Node *op_mul(Tape *t, Node *a, Node *b)
{
    if (!op_same_shape(a, b)) return op_refuse(t, "mul of %s and %s", op_shape_text(a), op_shape_text(b));
    bool ok;
    Node *y = tape_node(t, &def, a->shape, 2, (Node *[]){a, b}, &ok);
    if (!ok) return y;
    const int64_t n = shape_count(&y->shape);
    for (int64_t i = 0; i < n; i++) y->value[i] = a->value[i] * b->value[i];
    return y;
}
