/* gather.c - rows by number. */
#include "trainer/core/kernel.h"
#include "trainer/op/shape.h"

/* dx_index[i] += dy_i */
static void backward(Tape *t, Node *y)
{
    real *dx = node_grad(t, y->in[0]);
    if (!dx) return;
    const int32_t *index = y->data;
    const int64_t n = y->shape.d[0], width = y->shape.d[1];
    kernels()->scatter_add(n, width, y->grad, width, index, dx, width);
}

static const OpDef def = {"gather", backward};

/* y_i = x_index[i]; index is borrowed until the tape ends. */
Node *op_gather(Tape *t, Node *x, int64_t n, const int32_t *index)
{
    int64_t at;
    if (!op_is(x, 2)) return op_refuse(t, "gather of %s: two axes are wanted", op_shape_text(x));
    if (t->status == OK && !op_ids_within(n, index, x->shape.d[0], &at))
        return op_refuse(t, "gather: row %d of %s", (int)index[at], op_shape_text(x));
    const int64_t width = x->shape.d[1];
    bool ok;
    Node *y = tape_node(t, &def, SHAPE2(n, width), 1, &x, &ok);
    if (!ok) return y;
    y->data = (void *)(uintptr_t)index; /* read only */
    kernels()->gather(n, width, x->value, width, index, y->value, width);
    return y;
}
