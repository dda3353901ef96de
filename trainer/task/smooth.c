/* smooth.c - y = sum_r w_r (log sum_c exp x_rc - mean_c x_rc), w_r = weight[target_r]. */
#include "trainer/task/smooth.h"

#include <math.h>

typedef struct Keep {
    const int32_t *target;
    const real *weight;
    real *p; /* (N,C) softmax */
} Keep;

/* dx_rc = w_r (p_rc - 1/C) dy */
static void backward(Tape *t, Node *y)
{
    const Keep *k = y->data;
    const int64_t N = y->in[0]->shape.d[0], C = y->in[0]->shape.d[1];
    real *dx = node_grad(t, y->in[0]);
    for (int64_t r = 0; dx && r < N; r++) {
        const real scale = y->grad[0] * (k->weight ? k->weight[k->target[r]] : 1);
        for (int64_t c = 0; c < C; c++) dx[r * C + c] += scale * (k->p[r * C + c] - 1 / (real)C);
    }
}

static const OpDef def = {"smooth_cross_entropy", backward};

/* p = softmax(x); returns log sum exp x - mean x, both from the largest x on. */
static double row(const real *x, int64_t C, real *p)
{
    double max = (double)x[0], sum = 0, mean = 0;
    for (int64_t c = 1; c < C; c++) max = fmax(max, (double)x[c]);
    for (int64_t c = 0; c < C; c++) {
        sum += exp((double)x[c] - max);
        mean += ((double)x[c] - max) / (double)C;
    }
    for (int64_t c = 0; c < C; c++) p[c] = (real)(exp((double)x[c] - max) / sum);
    return log(sum) - mean;
}

Node *smooth_cross_entropy(Tape *t, Node *x, const int32_t *target, const real *weight)
{
    bool ok;
    Node *y = tape_node(t, &def, SHAPE1(1), 1, &x, &ok);
    if (!ok) return y;
    const int64_t N = x->shape.d[0], C = x->shape.d[1];
    Keep *k = y->data = tape_alloc(t, sizeof *k);
    real *p = tape_alloc(t, (size_t)(N * C) * sizeof *p);
    if (!k || !p) return y;
    *k = (Keep){target, weight, p};
    double sum = 0;
    for (int64_t r = 0; r < N; r++)
        sum += (weight ? (double)weight[target[r]] : 1) * row(x->value + r * C, C, p + r * C);
    y->value[0] = (real)sum;
    return y;
}
