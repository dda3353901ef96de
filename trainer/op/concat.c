/* concat.c - columns of several matrices side by side. */
#include <string.h>

#include "trainer/op/shape.h"

/* dx_i = its columns of dy */
static void backward(Tape *t, Node *y)
{
    const int64_t rows = y->shape.d[0], width = y->shape.d[1];
    int64_t at = 0;
    for (int i = 0; i < y->n_in; i++) {
        const int64_t part = y->in[i]->shape.d[1];
        real *dx = node_grad(t, y->in[i]);
        for (int64_t r = 0; dx && r < rows; r++)
            for (int64_t c = 0; c < part; c++) dx[r * part + c] += y->grad[r * width + at + c];
        at += part;
    }
}

static const OpDef def = {"concat", backward};

/* y = [x_1 ; x_2 ; ...] */
Node *op_concat(Tape *t, int n, Node *const *x)
{
    if (n < 1 || n > NODE_INPUTS) return op_refuse(t, "concat of %d nodes: 1 to %d can be", n, NODE_INPUTS);
    int64_t width = 0;
    for (int i = 0; i < n; i++) {
        if (!op_is(x[i], 2) || x[i]->shape.d[0] != x[0]->shape.d[0])
            return op_refuse(t, "concat of %s and %s", op_shape_text(x[0]), op_shape_text(x[i]));
        width += x[i]->shape.d[1];
    }
    const int64_t rows = x[0]->shape.d[0];
    bool ok;
    Node *y = tape_node(t, &def, SHAPE2(rows, width), n, x, &ok);
    if (!ok) return y;
    int64_t at = 0;
    for (int i = 0; i < n; i++) {
        const int64_t part = x[i]->shape.d[1];
        for (int64_t r = 0; r < rows; r++)
            memcpy(y->value + r * width + at, x[i]->value + r * part, (size_t)part * sizeof(real));
        at += part;
    }
    return y;
}
