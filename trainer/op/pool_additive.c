/* pool_additive.c - the attention of Yang 2016 over all segments in one operation.
 *
 *   u = tanh(h w + b),  e = u . v,  a = softmax of e over the segment,  y = sum a h
 * One product for all rows, then row by row. Backward overwrites u with its gradient: one backward only. */
#include <string.h>

#include "trainer/core/kernel.h"
#include "trainer/op/matrix.h"
#include "trainer/op/shape.h"

typedef struct Keep {
    Segments s;
    real *u; /* (N,A) */
    real *a; /* (N) weights */
} Keep;

/* Gradient of the weights, then of the scores: da_r = h_r . dy, de = a (da - sum a da). Adds a dy to dh. */
static void scores_backward(const Keep *k, const Node *h, const real *dy, real *dh, real *da, real *de)
{
    const int64_t D = h->shape.d[1];
    for (int64_t i = 0; i < k->s.n; i++) {
        const int64_t at = k->s.offset[i], n = k->s.offset[i + 1] - at;
        kernels()->weighted_sum_backward(n, D, k->a + at, h->value + at * D, D, dy + i * D, da + at,
                                         dh ? dh + at * D : NULL, D);
        if (n > 0) kernels()->softmax_backward(n, k->a + at, da + at, de + at);
    }
}

/* du = de v (1 - u^2), dv = sum de u, then as for a linear map: dh = du w^T, dw = h^T du, db = sum du */
static void backward(Tape *t, Node *y)
{
    const Keep *k = y->data;
    const Node *h = y->in[0], *w = y->in[1], *v = y->in[3];
    const int64_t N = h->shape.d[0], D = h->shape.d[1], A = w->shape.d[1];
    real *dh = node_grad(t, y->in[0]), *dw = node_grad(t, y->in[1]), *db = node_grad(t, y->in[2]);
    real *dv = node_grad(t, y->in[3]);
    real *da = tape_alloc(t, 2 * (size_t)N * sizeof *da);
    if (!da) return;
    real *de = da + N;
    memset(da, 0, 2 * (size_t)N * sizeof *da);
    scores_backward(k, h, y->grad, dh, da, de);
    kernels()->tanh_score_backward(N, A, k->u, v->value, de, dv);
    if (dh) op_matrix_nt(N, D, A, k->u, w->value, dh);
    if (dw) op_matrix_tn(D, A, N, h->value, k->u, dw);
    if (db) kernels()->column_sums(N, A, k->u, A, db);
}

static const OpDef def = {"pool_additive", backward};

static void forward(const Keep *k, const Node *h, const Node *b, const Node *v, real *y)
{
    const int64_t N = h->shape.d[0], D = h->shape.d[1], A = shape_count(&v->shape);
    kernels()->tanh_score(N, A, k->u, b->value, v->value, k->a);
    for (int64_t i = 0; i < k->s.n; i++) {
        const int64_t at = k->s.offset[i], n = k->s.offset[i + 1] - at;
        if (n > 0) (void)kernels()->softmax(n, k->a + at, k->a + at);
        kernels()->weighted_sum(n, D, k->a + at, h->value + at * D, D, y + i * D);
    }
}

Node *op_pool_additive(Tape *t, Node *h, Node *w, Node *b, Node *v, Segments s, Node **weight)
{
    *weight = NULL;
    if (!op_is(h, 2) || !op_is(w, 2) || w->shape.d[0] != h->shape.d[1] || shape_count(&v->shape) != w->shape.d[1] ||
        shape_count(&b->shape) != w->shape.d[1] || !op_segments_cover(s, h->shape.d[0]))
        return op_refuse(t, "pool_additive of %s by %s, %s and %s", op_shape_text(h), op_shape_text(w),
                         op_shape_text(b), op_shape_text(v));
    const int64_t N = h->shape.d[0], D = h->shape.d[1], A = w->shape.d[1];
    bool ok;
    Node *y = tape_node(t, &def, SHAPE2(s.n, D), 4, (Node *[]){h, w, b, v}, &ok);
    if (!ok) return y;
    Keep *k = y->data = tape_alloc(t, sizeof *k);
    real *u = tape_alloc(t, (size_t)(N * A) * sizeof *u), *a = tape_alloc(t, (size_t)N * sizeof *a);
    if (!a) return y;
    *k = (Keep){s, u, a};
    op_product(t, N, A, D, h->value, w->value, false, NULL, u);
    if (t->status == OK) forward(k, h, b, v, y->value);
    *weight = tape_leaf(t, SHAPE1(N), a, NULL);
    return y;
}
