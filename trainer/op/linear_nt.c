/* linear_nt.c - y = x w^T: each row of x with each row of w. */
#include "trainer/op/matrix.h"
#include "trainer/op/shape.h"

/* dx = dy w, dw = dy^T x */
static void backward(Tape *t, Node *y)
{
    const Node *x = y->in[0], *w = y->in[1];
    const int64_t N = x->shape.d[0], D = x->shape.d[1], M = w->shape.d[0];
    real *dx = node_grad(t, y->in[0]), *dw = node_grad(t, y->in[1]);
    if (dx) op_matrix_nn(N, D, M, y->grad, w->value, dx);
    if (dw) op_matrix_tn(M, D, N, y->grad, x->value, dw);
}

static const OpDef def = {"linear_nt", backward};

/* y_rm = x_r . w_m */
Node *op_linear_nt(Tape *t, Node *x, Node *w)
{
    if (!op_is(x, 2) || !op_is(w, 2) || x->shape.d[1] != w->shape.d[1])
        return op_refuse(t, "linear_nt of %s by %s", op_shape_text(x), op_shape_text(w));
    const int64_t N = x->shape.d[0], M = w->shape.d[0];
    bool ok;
    Node *y = tape_node(t, &def, SHAPE2(N, M), 2, (Node *[]){x, w}, &ok);
    if (!ok) return y;
    op_product(t, N, M, x->shape.d[1], x->value, w->value, true, NULL, y->value);
    return y;
}
