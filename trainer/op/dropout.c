/* dropout.c - inverted dropout (Srivastava 2014).
 *
 * One block of random bits decides on 8 columns, 16 bits each: p is rounded to a multiple of 2^-16 and the scale is
 * exact for the rounded p, so the mean stays. An element hangs on the row's key and its column alone. */
#include <math.h>

#include "trainer/op/shape.h"

enum { COLUMNS = 8 };

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
    for (int64_t i = 0; dx && i < n; i++) dx[i] += k->stays[i] ? k->scale * y->grad[i] : 0;
}

static const OpDef def = {"dropout", backward};

/* stays[c] = 1 with probability 1 - threshold / 65536 */
static void draw(RandomKey use, uint64_t key, int64_t D, uint32_t threshold, uint8_t *stays)
{
    for (int64_t c = 0; c < D; c += COLUMNS) {
        uint32_t bits[4];
        random_bits(use, key, (uint64_t)(c / COLUMNS), bits);
        for (int64_t i = 0; i < COLUMNS && c + i < D; i++)
            stays[c + i] = (bits[i / 2] >> (i % 2 * 16) & 0xffff) >= threshold;
    }
}

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
    for (int64_t r = 0; r < N; r++) {
        draw(use, key[r], D, threshold, stays + r * D);
        for (int64_t c = r * D; c < (r + 1) * D; c++) y->value[c] = stays[c] ? k->scale * x->value[c] : 0;
    }
    return y;
}
