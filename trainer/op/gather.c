/* gather.c - rows by number. */
#include <string.h>

#include "trainer/op/shape.h"

/* dx_index[i] += dy_i */
static void backward(Tape *t, Node *y)
{
    real *dx = node_grad(t, y->in[0]);
    if (!dx) return;
    const int32_t *index = y->data;
    const int64_t n = y->shape.d[0], width = y->shape.d[1];
    for (int64_t i = 0; i < n; i++) {
        real *to = dx + index[i] * width;
        const real *from = y->grad + i * width;
        for (int64_t c = 0; c < width; c++) to[c] += from[c];
    }
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
    for (int64_t i = 0; i < n; i++)
        memcpy(y->value + i * width, x->value + index[i] * width, (size_t)width * sizeof(real));
    return y;
}
