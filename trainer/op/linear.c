/* linear.c - y = x w + b over all rows at once. */
#include "trainer/core/kernel.h"
#include "trainer/op/matrix.h"
#include "trainer/op/shape.h"

/* dx = dy w^T, dw = x^T dy, db = sum of the rows of dy */
static void backward(Tape *t, Node *y)
{
    const Node *x = y->in[0], *w = y->in[1];
    const int64_t N = x->shape.d[0], D = x->shape.d[1], M = w->shape.d[1];
    real *dx = node_grad(t, y->in[0]), *dw = node_grad(t, y->in[1]);
    if (dx) op_matrix_nt(N, D, M, y->grad, w->value, dx);
    if (dw) op_matrix_tn(D, M, N, x->value, y->grad, dw);
    real *db = y->n_in > 2 ? node_grad(t, y->in[2]) : NULL;
    if (db) kernels()->column_sums(N, M, y->grad, M, db);
}

static const OpDef def = {"linear", backward};

/* y_rm = b_m + sum_d x_rd w_dm */
Node *op_linear(Tape *t, Node *x, Node *w, Node *b)
{
    if (!op_is(x, 2) || !op_is(w, 2) || x->shape.d[1] != w->shape.d[0])
        return op_refuse(t, "linear of %s by %s", op_shape_text(x), op_shape_text(w));
    const int64_t N = x->shape.d[0], M = w->shape.d[1];
    if (b && shape_count(&b->shape) != M)
        return op_refuse(t, "linear into %lld columns with a bias of %s", (long long)M, op_shape_text(b));
    bool ok;
    Node *y = tape_node(t, &def, SHAPE2(N, M), b ? 3 : 2, (Node *[]){x, w, b}, &ok);
    if (!ok) return y;
    op_product(t, N, M, x->shape.d[1], x->value, w->value, false, b ? b->value : NULL, y->value);
    return y;
}
