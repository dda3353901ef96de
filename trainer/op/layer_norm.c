/* layer_norm.c - each row with mean 0 and variance 1, then a learnt gain and bias (Ba, Kiros, Hinton 2016). */
#include <math.h>

#include "trainer/op/shape.h"

static const double EPSILON = 1e-5; /* keeps a constant row finite */

typedef struct Keep {
    real *normal;  /* (N,D) before gain and bias */
    real *inverse; /* (N) 1 / sqrt(variance + epsilon) */
} Keep;

/* With g = gain dy and the means over the row: dx = inverse (g - mean(g) - normal mean(g normal)) */
static void row_backward(int64_t D, const real *gain, const real *dy, const real *normal, real inverse, real *dx)
{
    double mean = 0, slope = 0;
    for (int64_t c = 0; c < D; c++) {
        mean += (double)(gain[c] * dy[c]);
        slope += (double)(gain[c] * dy[c] * normal[c]);
    }
    const real m = (real)(mean / (double)D), s = (real)(slope / (double)D);
    for (int64_t c = 0; c < D; c++) dx[c] += inverse * (gain[c] * dy[c] - m - normal[c] * s);
}

/* dgain = sum of dy normal, dbias = sum of dy, over the rows */
static void backward(Tape *t, Node *y)
{
    const Keep *k = y->data;
    const int64_t N = y->shape.d[0], D = y->shape.d[1];
    real *dx = node_grad(t, y->in[0]), *dgain = node_grad(t, y->in[1]), *dbias = node_grad(t, y->in[2]);
    for (int64_t r = 0; r < N; r++) {
        const real *dy = y->grad + r * D, *normal = k->normal + r * D;
        for (int64_t c = 0; dgain && c < D; c++) dgain[c] += dy[c] * normal[c];
        for (int64_t c = 0; dbias && c < D; c++) dbias[c] += dy[c];
        if (dx) row_backward(D, y->in[1]->value, dy, normal, k->inverse[r], dx + r * D);
    }
}

static const OpDef def = {"layer_norm", backward};

/* Returns 1 / sqrt(variance + epsilon); normal = (x - mean) times that */
static real normalise(int64_t D, const real *x, real *normal)
{
    double mean = 0, variance = 0;
    for (int64_t c = 0; c < D; c++) mean += (double)x[c];
    mean /= (double)D;
    for (int64_t c = 0; c < D; c++) variance += ((double)x[c] - mean) * ((double)x[c] - mean);
    const double inverse = 1 / sqrt(variance / (double)D + EPSILON);
    for (int64_t c = 0; c < D; c++) normal[c] = (real)(((double)x[c] - mean) * inverse);
    return (real)inverse;
}

/* y = (x - mean) / sqrt(variance + epsilon) gain + bias */
Node *op_layer_norm(Tape *t, Node *x, Node *gain, Node *bias)
{
    if (!op_is(x, 2) || shape_count(&gain->shape) != x->shape.d[1] || !op_same_shape(gain, bias))
        return op_refuse(t, "layer_norm of %s with %s and %s", op_shape_text(x), op_shape_text(gain),
                         op_shape_text(bias));
    const int64_t N = x->shape.d[0], D = x->shape.d[1];
    bool ok;
    Node *y = tape_node(t, &def, x->shape, 3, (Node *[]){x, gain, bias}, &ok);
    if (!ok) return y;
    Keep *k = y->data = tape_alloc(t, sizeof *k);
    real *normal = tape_alloc(t, (size_t)(N * D) * sizeof *normal),
         *inverse = tape_alloc(t, (size_t)N * sizeof *inverse);
    if (!inverse) return y;
    *k = (Keep){normal, inverse};
    for (int64_t r = 0; r < N; r++) {
        inverse[r] = normalise(D, x->value + r * D, normal + r * D);
        for (int64_t c = 0; c < D; c++) y->value[r * D + c] = normal[r * D + c] * gain->value[c] + bias->value[c];
    }
    return y;
}
