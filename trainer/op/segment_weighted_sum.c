/* segment_weighted_sum.c - contexts: the rows of each segment, weighted and added, once for each column of weights. */
#include <string.h>

#include "trainer/core/kernel.h"
#include "trainer/op/shape.h"

/* dw_rk = h_r . dy_sk,  dh_r = sum_k w_rk dy_sk */
static void backward(Tape *t, Node *y)
{
    const Segments *s = y->data;
    const Node *w = y->in[0], *h = y->in[1];
    const int64_t K = w->shape.d[1], D = h->shape.d[1];
    real *dw = node_grad(t, y->in[0]), *dh = node_grad(t, y->in[1]);
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t r = s->offset[i]; r < s->offset[i + 1]; r++)
            for (int64_t k = 0; k < K; k++) {
                const real *dy = y->grad + (i * K + k) * D;
                if (dw) dw[r * K + k] += kernels()->dot(D, h->value + r * D, dy);
                if (dh) kernels()->axpy(D, w->value[r * K + k], dy, dh + r * D);
            }
}

static const OpDef def = {"segment_weighted_sum", backward};

/* y_sk = sum over the rows r of segment s of w_rk h_r; s is borrowed until the tape ends. */
Node *op_segment_weighted_sum(Tape *t, Node *w, Node *h, Segments s)
{
    if (!op_is(w, 2) || !op_is(h, 2) || w->shape.d[0] != h->shape.d[0] || !op_segments_cover(s, h->shape.d[0]))
        return op_refuse(t, "segment_weighted_sum of %s by %s over %lld segments", op_shape_text(h), op_shape_text(w),
                         (long long)s.n);
    const int64_t K = w->shape.d[1], D = h->shape.d[1];
    bool ok;
    Node *y = tape_node(t, &def, SHAPE2(s.n, K * D), 2, (Node *[]){w, h}, &ok);
    Segments *keep = ok ? y->data = tape_alloc(t, sizeof *keep) : NULL;
    if (!keep) return y;
    *keep = s;
    memset(y->value, 0, (size_t)(s.n * K * D) * sizeof(real));
    for (int64_t i = 0; i < s.n; i++)
        for (int64_t r = s.offset[i]; r < s.offset[i + 1]; r++)
            for (int64_t k = 0; k < K; k++)
                kernels()->axpy(D, w->value[r * K + k], h->value + r * D, y->value + (i * K + k) * D);
    return y;
}
