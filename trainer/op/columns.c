/* columns.c - some columns of a matrix. */
#include <string.h>

#include "trainer/core/kernel.h"
#include "trainer/op/shape.h"

/* dx_{r, first + c} += dy_{r, c} */
static void backward(Tape *t, Node *y)
{
    const int64_t n = y->shape.d[1], width = y->in[0]->shape.d[1], first = *(const int64_t *)y->data;
    real *dx = node_grad(t, y->in[0]);
    for (int64_t r = 0; dx && r < y->shape.d[0]; r++) kernels()->add(n, y->grad + r * n, dx + r * width + first);
}

static const OpDef def = {"columns", backward};

/* y_{r, c} = x_{r, first + c} */
Node *op_columns(Tape *t, Node *x, int64_t first, int64_t n)
{
    if (!op_is(x, 2) || first < 0 || n < 0 || first + n > x->shape.d[1])
        return op_refuse(t, "columns %lld to %lld of %s", (long long)first, (long long)(first + n), op_shape_text(x));
    const int64_t rows = x->shape.d[0], width = x->shape.d[1];
    bool ok;
    Node *y = tape_node(t, &def, SHAPE2(rows, n), 1, &x, &ok);
    int64_t *at = ok ? tape_alloc(t, sizeof *at) : NULL;
    if (!at) return y;
    *at = first;
    y->data = at;
    for (int64_t r = 0; r < rows; r++) memcpy(y->value + r * n, x->value + r * width + first, (size_t)n * sizeof(real));
    return y;
}
