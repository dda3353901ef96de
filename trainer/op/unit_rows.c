/* unit_rows.c - each row with length 1. */
#include <math.h>

#include "trainer/core/kernel.h"
#include "trainer/op/shape.h"

static const double EPSILON = 1e-12; /* under the root: a row of zeros stays one */

/* dx = (dy - y (y . dy)) / |x| */
static void backward(Tape *t, Node *y)
{
    const int64_t N = y->shape.d[0], D = y->shape.d[1];
    const real *inverse = y->data;
    real *dx = node_grad(t, y->in[0]);
    for (int64_t r = 0; dx && r < N; r++) {
        const real *out = y->value + r * D, *dy = y->grad + r * D;
        kernels()->axpy(D, inverse[r], dy, dx + r * D);
        kernels()->axpy(D, -inverse[r] * kernels()->dot(D, out, dy), out, dx + r * D);
    }
}

static const OpDef def = {"unit_rows", backward};

/* y = x / sqrt(x . x + epsilon) */
Node *op_unit_rows(Tape *t, Node *x)
{
    if (!op_is(x, 2)) return op_refuse(t, "unit_rows of %s: two axes are wanted", op_shape_text(x));
    const int64_t N = x->shape.d[0], D = x->shape.d[1];
    bool ok;
    Node *y = op_like(t, &def, x, &ok);
    real *inverse = ok ? y->data = tape_alloc(t, (size_t)N * sizeof *inverse) : NULL;
    for (int64_t r = 0; inverse && r < N; r++) {
        inverse[r] = (real)(1 / sqrt(kernels()->sum_squares(D, x->value + r * D) + EPSILON));
        for (int64_t c = r * D; c < (r + 1) * D; c++) y->value[c] = inverse[r] * x->value[c];
    }
    return y;
}
