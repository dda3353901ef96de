/* dropout.c - inverted dropout (Srivastava 2014).
 *
 * One block of random bits decides on 8 columns, 16 bits each: p is rounded to a multiple of 2^-16 and the scale is
 * exact for the rounded p, so the mean stays. An element hangs on the row's key and its column alone. */
#include <math.h>

#include "trainer/core/kernel.h"
#include "trainer/op/shape.h"

typedef struct Keep {
    real scale;
    uint8_t *stays; /* (N,D) */
} Keep;

/* dx = scale dy where the element stayed */
static void backward(Tape *t, Node *y)
{
    const Keep *k = y->data;
    real *dx = node_grad(t, y->in[0]);
    const int64_t n = shape_count(&y->shape);
    if (dx) kernels()->dropout_add(n, k->stays, k->scale, y->grad, dx);
}

static const OpDef def = {"dropout", backward};

uint64_t op_row_key(int64_t example, int64_t position) { return (uint64_t)example << 28 ^ (uint64_t)position; }

/* y = x / (1 - p), or 0 with probability p */
Node *op_dropout(Tape *t, Node *x, double p, const uint64_t *key)
{
    const uint32_t threshold = (uint32_t)lrint(p * 65536);
    if (!t->train || threshold == 0) return x;
    if (!op_is(x, 2)) return op_refuse(t, "dropout of %s: two axes are wanted", op_shape_text(x));
    const int64_t N = x->shape.d[0], D = x->shape.d[1];
    const RandomKey use = tape_random(t, RANDOM_DROPOUT);
    bool ok;
    Node *y = op_like(t, &def, x, &ok);
    if (!ok) return y;
    Keep *k = y->data = tape_alloc(t, sizeof *k);
    uint8_t *stays = tape_alloc(t, (size_t)(N * D));
    if (!stays) return y;
    *k = (Keep){(real)(65536.0 / (65536.0 - threshold)), stays};
    for (int64_t r = 0; r < N; r++) kernels()->dropout_draw(use, key[r], D, threshold, stays + r * D);
    kernels()->dropout_apply(N * D, stays, k->scale, x->value, y->value);
    return y;
}
