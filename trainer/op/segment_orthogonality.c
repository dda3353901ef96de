/* segment_orthogonality.c - how far the K rows of attention weights of a segment are from looking at different places
 * (Lin 2017). */
#include <string.h>

#include "trainer/op/shape.h"

typedef struct Keep {
    Segments s;
    real *excess; /* (s.n,K,K) A A^T - I */
} Keep;

/* d/dA ||A A^T - I||^2 = 4 (A A^T - I) A */
static void backward(Tape *t, Node *y)
{
    const Keep *keep = y->data;
    const Node *a = y->in[0];
    const int64_t K = a->shape.d[1];
    real *da = node_grad(t, y->in[0]);
    for (int64_t i = 0; da && i < keep->s.n; i++)
        for (int64_t r = keep->s.offset[i]; r < keep->s.offset[i + 1]; r++)
            for (int64_t k = 0; k < K; k++) {
                const real *excess = keep->excess + (i * K + k) * K;
                real sum = 0;
                for (int64_t l = 0; l < K; l++) sum += excess[l] * a->value[r * K + l];
                da[r * K + k] += 4 * y->grad[0] * sum;
            }
}

static const OpDef def = {"segment_orthogonality", backward};

/* excess = A A^T - I of one segment; returns the sum of its squares. a (n,K) is A^T. */
static double excess_of(int64_t n, int64_t K, const real *a, real *excess)
{
    memset(excess, 0, (size_t)(K * K) * sizeof *excess);
    for (int64_t r = 0; r < n; r++)
        for (int64_t k = 0; k < K; k++)
            for (int64_t l = 0; l < K; l++) excess[k * K + l] += a[r * K + k] * a[r * K + l];
    double sum = 0;
    for (int64_t k = 0; k < K; k++)
        for (int64_t l = 0; l < K; l++) {
            if (k == l) excess[k * K + l] -= 1;
            sum += (double)excess[k * K + l] * (double)excess[k * K + l];
        }
    return sum;
}

/* y = sum over the segments that have rows of ||A A^T - I||_F^2; s is borrowed until the tape ends. */
Node *op_segment_orthogonality(Tape *t, Node *a, Segments s)
{
    if (!op_is(a, 2) || !op_segments_cover(s, a->shape.d[0]))
        return op_refuse(t, "segment_orthogonality of %s over %lld segments", op_shape_text(a), (long long)s.n);
    const int64_t K = a->shape.d[1];
    bool ok;
    Node *y = tape_node(t, &def, SHAPE1(1), 1, &a, &ok);
    Keep *keep = ok ? y->data = tape_alloc(t, sizeof *keep) : NULL;
    real *excess = keep ? tape_alloc(t, (size_t)(s.n * K * K) * sizeof *excess) : NULL;
    if (!excess) return y;
    *keep = (Keep){s, excess};
    double sum = 0;
    for (int64_t i = 0; i < s.n; i++) {
        const int64_t n = s.offset[i + 1] - s.offset[i];
        if (n > 0) sum += excess_of(n, K, a->value + s.offset[i] * K, excess + i * K * K);
    }
    y->value[0] = (real)sum;
    return y;
}
