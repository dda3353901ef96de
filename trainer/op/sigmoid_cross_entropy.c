/* sigmoid_cross_entropy.c - the loss of yes and no, each for itself. */
#include <math.h>

#include "trainer/op/shape.h"

/* dx = (sigmoid(x) - yes) dy */
static void backward(Tape *t, Node *y)
{
    const real *yes = y->data, *x = y->in[0]->value;
    const int64_t n = shape_count(&y->in[0]->shape);
    real *dx = node_grad(t, y->in[0]);
    for (int64_t i = 0; dx && i < n; i++) dx[i] += y->grad[0] * (real)(1 / (1 + exp(-(double)x[i])) - (double)yes[i]);
}

static const OpDef def = {"sigmoid_cross_entropy", backward};

/* y = sum of max(x, 0) - x yes + log(1 + exp(-|x|)), which is -yes log sigmoid(x) - (1 - yes) log sigmoid(-x) */
Node *op_sigmoid_cross_entropy(Tape *t, Node *x, const real *yes)
{
    bool ok;
    Node *y = tape_node(t, &def, SHAPE1(1), 1, &x, &ok);
    if (!ok) return y;
    y->data = (real *)(uintptr_t)yes; /* only read */
    double sum = 0;
    for (int64_t i = 0; i < shape_count(&x->shape); i++)
        sum += fmax((double)x->value[i], 0) - (double)x->value[i] * (double)yes[i] +
               log1p(exp(-fabs((double)x->value[i])));
    y->value[0] = (real)sum;
    return y;
}
