/* segment_cross_entropy.c - the loss of one choice among the rows of each segment. */
#include <math.h>

#include "trainer/op/shape.h"

typedef struct Keep {
    Segments s;
    const int32_t *target;
    double *all; /* (s.n) log sum exp of each segment */
} Keep;

/* dx_r = (exp(x_r - log sum exp x) - [r is the target]) dy */
static void backward(Tape *t, Node *y)
{
    const Keep *k = y->data;
    const real *x = y->in[0]->value;
    real *dx = node_grad(t, y->in[0]);
    for (int64_t i = 0; dx && i < k->s.n; i++) {
        const int64_t first = k->s.offset[i];
        for (int64_t r = first; r < k->s.offset[i + 1]; r++) dx[r] += y->grad[0] * (real)exp((double)x[r] - k->all[i]);
        dx[first + k->target[i]] -= y->grad[0];
    }
}

static const OpDef def = {"segment_cross_entropy", backward};

static bool targets_within(Segments s, const int32_t *target, int64_t *at)
{
    for (*at = 0; *at < s.n; ++*at)
        if (target[*at] < 0 || target[*at] >= s.offset[*at + 1] - s.offset[*at]) return false;
    return true;
}

/* y = sum over the segments of log sum exp x - x_target; target and s are borrowed until the tape ends. */
Node *op_segment_cross_entropy(Tape *t, Node *x, Segments s, const int32_t *target)
{
    int64_t wrong;
    bool ok;
    if (!op_is(x, 1) || !op_segments_cover(s, x->shape.d[0]))
        return op_refuse(t, "segment_cross_entropy of %s over %lld segments", op_shape_text(x), (long long)s.n);
    if (t->status == OK && !targets_within(s, target, &wrong))
        return op_refuse_as(t, ERR_DATA, "choice %d of segment %lld is not one of its %lld rows", (int)target[wrong],
                            (long long)wrong, (long long)(s.offset[wrong + 1] - s.offset[wrong]));
    Node *y = tape_node(t, &def, SHAPE1(1), 1, &x, &ok);
    if (!ok) return y;
    Keep *k = y->data = tape_alloc(t, sizeof *k);
    double *all = tape_alloc(t, (size_t)s.n * sizeof *all), sum = 0;
    if (!all) return y;
    *k = (Keep){s, target, all};
    for (int64_t i = 0; i < s.n; i++) {
        const real *row = x->value + s.offset[i];
        const int64_t n = s.offset[i + 1] - s.offset[i];
        double most = -INFINITY, rest = 0;
        for (int64_t r = 0; r < n; r++) most = fmax(most, (double)row[r]);
        for (int64_t r = 0; r < n; r++) rest += exp((double)row[r] - most);
        /* cppcheck-suppress invalidFunctionArg ; no segment is empty: a target is in it, so that exp(0) is in the sum
         */
        all[i] = most + log(rest);
        sum += all[i] - (double)row[target[i]];
    }
    y->value[0] = (real)sum;
    return y;
}
