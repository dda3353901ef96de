/* add_row.c - the same row is added to each row. */
#include "trainer/op/shape.h"

/* dx = dy, drow = sum of the rows of dy */
static void backward(Tape *t, Node *y)
{
    const int64_t rows = y->shape.d[0], width = y->shape.d[1];
    real *dx = node_grad(t, y->in[0]), *drow = node_grad(t, y->in[1]);
    for (int64_t i = 0; dx && i < rows * width; i++) dx[i] += y->grad[i];
    for (int64_t r = 0; drow && r < rows; r++)
        for (int64_t c = 0; c < width; c++) drow[c] += y->grad[r * width + c];
}

static const OpDef def = {"add_row", backward};

/* y_rc = x_rc + row_c */
Node *op_add_row(Tape *t, Node *x, Node *row)
{
    if (!op_is(x, 2) || shape_count(&row->shape) != x->shape.d[1])
        return op_refuse(t, "add_row of %s and %s", op_shape_text(x), op_shape_text(row));
    bool ok;
    Node *y = tape_node(t, &def, x->shape, 2, (Node *[]){x, row}, &ok);
    if (!ok) return y;
    const int64_t rows = x->shape.d[0], width = x->shape.d[1];
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < width; c++) y->value[r * width + c] = x->value[r * width + c] + row->value[c];
    return y;
}
