/* memory_hop.c - one look into the memories (Sukhbaatar 2015), for all examples at once. */
#include <math.h>

#include "trainer/core/kernel.h"
#include "trainer/op/shape.h"

typedef struct Keep {
    Segments s;
    MemoryRead how;
    real *p;   /* (N) weights */
    real *de;  /* (N) gradient of the scores */
    real *row; /* (d) */
} Keep;

/* p = e, or softmax(e), e_i = u . m_i. Slots without a sentence have e = 0: with log of the sentences' sum Z, each p is
 * exp(e) / (Z + empty) = softmax * 1 / (1 + empty / Z). */
static void weights(int64_t n, int64_t d, const real *u, const real *m, MemoryRead how, real *p)
{
    kernels()->rows_dot(n, d, m, d, u, p);
    if (how.linear || n == 0) return;
    const real log_sum = kernels()->softmax(n, p, p);
    if (how.slots > n) kernels()->scale(n, (real)(1 / (1 + (double)(how.slots - n) * exp(-(double)log_sum))), p);
}

/* dp_i = do . c_i;  de = p (dp - sum p dp) or dp;  du += sum de_i m_i */
static void example_backward(const Keep *k, int64_t at, int64_t n, int64_t d, const real *dout, const real *m,
                             const real *c, real *du)
{
    const real *p = k->p + at;
    real *de = k->de + at, mean = 0;
    kernels()->rows_dot(n, d, c, d, dout, de);
    for (int64_t i = 0; i < n; i++) mean += p[i] * de[i];
    for (int64_t i = 0; i < n && !k->how.linear; i++) de[i] = p[i] * (de[i] - mean);
    if (!du) return;
    kernels()->weighted_sum(n, d, de, m, d, k->row);
    kernels()->add(d, k->row, du);
}

/* dm_i += weight_i vector of its example. Sums of sentences take it as it is and never write it out. */
static void memory_gradient(Tape *t, Node *m, const real *weight, const real *vector, Segments s)
{
    if (op_outer_gradient(m, weight, vector, s)) return;
    real *dm = node_grad(t, m);
    const int64_t d = m->shape.d[1];
    for (int64_t b = 0; dm && b < s.n; b++) {
        const int64_t at = s.offset[b];
        kernels()->outer_add(s.offset[b + 1] - at, d, weight + at, vector + b * d, dm + at * d, d);
    }
}

/* dc_i += p_i do, dm_i += de_i u */
static void backward(Tape *t, Node *y)
{
    const Keep *k = y->data;
    const int64_t d = y->shape.d[1];
    Node *u = y->in[0], *m = y->in[1], *c = y->in[2];
    real *du = node_grad(t, u);
    for (int64_t b = 0; b < k->s.n; b++) {
        const int64_t at = k->s.offset[b], n = k->s.offset[b + 1] - at;
        example_backward(k, at, n, d, y->grad + b * d, m->value + at * d, c->value + at * d, du ? du + b * d : NULL);
    }
    memory_gradient(t, c, k->p, y->grad, k->s);
    memory_gradient(t, m, k->de, u->value, k->s);
}

static const OpDef def = {"memory_hop", backward};

/* o_b = sum_i p_i c_i over the memories of example b; without memories 0. s is borrowed until the tape ends. */
Node *op_memory_hop(Tape *t, Node *u, Node *m, Node *c, Segments s, MemoryRead how, Node **weight)
{
    *weight = NULL;
    if (!op_is(u, 2) || !op_is(m, 2) || !op_same_shape(m, c) || m->shape.d[1] != u->shape.d[1])
        return op_refuse(t, "memory_hop of %s over %s and %s", op_shape_text(u), op_shape_text(m), op_shape_text(c));
    if (s.n != u->shape.d[0] || !op_segments_cover(s, m->shape.d[0]))
        return op_refuse(t, "memory_hop: %lld segments over %s for %s", (long long)s.n, op_shape_text(m),
                         op_shape_text(u));
    const int64_t d = u->shape.d[1], N = m->shape.d[0];
    bool ok;
    Node *y = tape_node(t, &def, SHAPE2(s.n, d), 3, (Node *[]){u, m, c}, &ok);
    if (!ok) return y;
    Keep *k = y->data = tape_alloc(t, sizeof *k);
    real *p = tape_alloc(t, (size_t)N * sizeof *p), *de = tape_alloc(t, (size_t)N * sizeof *de);
    real *row = tape_alloc(t, (size_t)d * sizeof *row);
    if (!row) return y;
    *k = (Keep){s, how, p, de, row};
    for (int64_t b = 0; b < s.n; b++) {
        const int64_t at = s.offset[b], n = s.offset[b + 1] - at;
        weights(n, d, u->value + b * d, m->value + at * d, how, p + at);
        kernels()->weighted_sum(n, d, p + at, c->value + at * d, d, y->value + b * d);
    }
    *weight = tape_leaf(t, SHAPE1(N), p, NULL);
    return y;
}
