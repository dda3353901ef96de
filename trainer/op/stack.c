/* stack.c - the rows of b below the rows of a. */
#include <string.h>

#include "trainer/op/shape.h"

/* da = the first rows of dy, db = the others */
static void backward(Tape *t, Node *y)
{
    const real *dy = y->grad;
    for (int i = 0; i < 2; i++) {
        const int64_t n = shape_count(&y->in[i]->shape);
        real *dx = node_grad(t, y->in[i]);
        for (int64_t j = 0; dx && j < n; j++) dx[j] += dy[j];
        dy += n;
    }
}

static const OpDef def = {"stack", backward};

Node *op_stack(Tape *t, Node *a, Node *b)
{
    if (!op_is(a, 2) || !op_is(b, 2) || a->shape.d[1] != b->shape.d[1])
        return op_refuse(t, "stack of %s and %s", op_shape_text(a), op_shape_text(b));
    bool ok;
    Node *y = tape_node(t, &def, SHAPE2(a->shape.d[0] + b->shape.d[0], a->shape.d[1]), 2, (Node *[]){a, b}, &ok);
    if (!ok) return y;
    const size_t first = (size_t)shape_count(&a->shape);
    memcpy(y->value, a->value, first * sizeof(real));
    memcpy(y->value + first, b->value, (size_t)shape_count(&b->shape) * sizeof(real));
    return y;
}
