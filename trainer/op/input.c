/* input.c - vectors of words apart by place, so that each has a gradient of its own. */
#include <string.h>

#include "trainer/core/kernel.h"
#include "trainer/op/shape.h"

/* y_i = rows_index[i], as a leaf: nothing flows further down. */
Node *op_input(Tape *t, const Node *rows, int64_t n, const int32_t *index, const int32_t *id)
{
    const int64_t width = rows->shape.d[1];
    real *value = tape_alloc(t, (size_t)(n * width) * sizeof *value);
    real *grad = tape_alloc(t, (size_t)(n * width) * sizeof *grad);
    TapeInput *in = tape_alloc(t, sizeof *in);
    if (!in) return tape_leaf(t, SHAPE2(0, width), NULL, NULL);
    kernels()->gather(n, width, rows->value, width, index, value, width);
    memset(grad, 0, (size_t)(n * width) * sizeof *grad);
    Node *x = tape_leaf(t, SHAPE2(n, width), value, grad);
    *in = (TapeInput){id, x, t->inputs};
    t->inputs = in;
    return x;
}
