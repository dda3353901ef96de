/* segment_softmax.c - softmax over the rows of each segment, each column by itself. */
#include <math.h>

#include "trainer/core/kernel.h"
#include "trainer/op/shape.h"

/* dx_r = y_r (dy_r - sum over the segment of dy y) */
static void backward(Tape *t, Node *y)
{
    const Segments *s = y->data;
    const int64_t K = y->shape.d[1];
    real *dx = node_grad(t, y->in[0]);
    if (!dx) return;
    for (int64_t i = 0; i < s->n; i++) {
        const int64_t first = s->offset[i] * K, end = s->offset[i + 1] * K;
        for (int64_t c = 0; c < K; c++) {
            real mean = 0;
            for (int64_t at = first + c; at < end; at += K) mean += y->grad[at] * y->value[at];
            for (int64_t at = first + c; at < end; at += K) dx[at] += y->value[at] * (y->grad[at] - mean);
        }
    }
}

static const OpDef def = {"segment_softmax", backward};

/* One column of a segment, K numbers from row to row. */
static void column(int64_t n, int64_t K, const real *x, real *y)
{
    real max = x[0], sum = 0;
    for (int64_t i = 1; i < n; i++) max = x[i * K] > max ? x[i * K] : max;
    for (int64_t i = 0; i < n; i++) {
        kernels()->exp(1, &(real){x[i * K] - max}, &y[i * K]);
        sum += y[i * K];
    }
    for (int64_t i = 0; i < n; i++) y[i * K] /= sum;
}

/* y_r = exp(x_r - max) / sum over the segment; s is borrowed until the tape ends. */
Node *op_segment_softmax(Tape *t, Node *x, Segments s)
{
    if (!op_is(x, 2) || !op_segments_cover(s, x->shape.d[0]))
        return op_refuse(t, "segment_softmax of %s over %lld segments", op_shape_text(x), (long long)s.n);
    bool ok;
    Node *y = op_like(t, &def, x, &ok);
    Segments *keep = ok ? y->data = tape_alloc(t, sizeof *keep) : NULL;
    if (!keep) return y;
    *keep = s;
    const int64_t K = x->shape.d[1];
    for (int64_t i = 0; i < s.n; i++) {
        const int64_t first = s.offset[i], n = s.offset[i + 1] - first;
        if (n > 0 && K == 1) (void)kernels()->softmax(n, x->value + first, y->value + first);
        for (int64_t c = 0; n > 0 && K > 1 && c < K; c++)
            column(n, K, x->value + first * K + c, y->value + first * K + c);
    }
    return y;
}
