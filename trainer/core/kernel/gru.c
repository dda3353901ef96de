/* gru.c - gated recurrent unit (Cho 2014), with the reset gate applied after the recurrent product, as cuDNN has it:
 *   r = sigmoid(a_r + U_r h)   z = sigmoid(a_z + U_z h)   q = U_n h + b   n = tanh(a_n + r q)   h' = n + z (h - n)
 * where a are the input projections with their biases.
 *
 * The record of a position, in columns of H: q r z n, and n r z q in the reverse direction. Forward finds a in r z n;
 * backward leaves the gradient of each in its place: r z n are then those of a (side by side), q r z (r z q) those of
 * the recurrent product (side by side too). */
#include "trainer/core/kernel/tile.h"

typedef struct Columns {
    real *q, *r, *z, *n;
} Columns;

static Columns columns(real *record, int64_t h, bool reverse)
{
    return (Columns){record + (reverse ? 3 * h : 0), record + h, record + 2 * h, record + (reverse ? 0 : 3 * h)};
}

/* Row i, n units from `first` on. product: U_r h, U_z h, U_n h, a vector each. */
KERNEL_INLINE void gates(const StepRows *s, int i, int64_t first, int64_t n, const real *product, const real *bias,
                         bool reverse)
{
    const Columns c = columns(s->record[i] + first, s->h, reverse);
    const Vec r = vec_sigmoid(vec_get(c.r, n) + vec_load(product));
    const Vec z = vec_sigmoid(vec_get(c.z, n) + vec_load(product + LANES));
    const Vec q = vec_load(product + 2 * LANES) + vec_get(bias + first, n);
    const Vec new = vec_tanh(vec_get(c.n, n) + r * q);
    const Vec h = new + z *(vec_get(s->before[i] + first, n) - new);
    vec_put(c.q, n, q);
    vec_put(c.r, n, r);
    vec_put(c.z, n, z);
    vec_put(c.n, n, new);
    vec_put(s->state[i] + first, n, h);
    if (s->next[i]) vec_put(s->next[i] + first, n, s->mask[i] ? h * vec_get(s->mask[i] + first, n) : h);
}

KERNEL_NOINLINE void gates_of_panel(const StepRows *s, int64_t first, const real *products, const real *bias,
                                    bool reverse)
{
    const int64_t n = s->h - first;
    if (n >= LANES)
        for (int i = 0; i < s->rows; i++) gates(s, i, first, LANES, products + i * 3 * LANES, bias, reverse);
    else
        for (int i = 0; i < s->rows; i++) gates(s, i, first, n, products + i * 3 * LANES, bias, reverse);
}

void LEVEL(kernel_gru_forward)(const StepRows *s, const Panel *u, const real *bias, bool reverse)
{
    real products[TILE_BUFFER] __attribute__((aligned(64)));
    const real *packed = u->packed;
    for (int64_t panel = 0; panel < tile_panels(u); panel++, packed += u->k * 3 * LANES) {
        tile_step(s, u, 3, packed, products);
        gates_of_panel(s, panel * LANES, products, bias, reverse);
    }
}

/* With d = dh': dz = d (h - n), dn = d (1 - z), through tanh dn (1 - n^2) = da_n, dr = da_n q, dq = da_n r,
 * through sigmoid dr r (1 - r), dz z (1 - z); dh gets z d here, and U^T times (dq dr dz) from the caller. */
KERNEL_INLINE void gradients(const StepRows *s, int i, int64_t first, int64_t n, bool reverse)
{
    const Columns c = columns(s->record[i] + first, s->h, reverse);
    const Vec d = vec_get(s->d_state[i] + first, n) + vec_get(s->d_carry[i] + first, n);
    const Vec q = vec_get(c.q, n), r = vec_get(c.r, n), z = vec_get(c.z, n), new = vec_get(c.n, n);
    const Vec dn = d * (1 - z) * (1 - new *new);
    vec_put(c.n, n, dn);
    vec_put(c.q, n, dn * r);
    vec_put(c.r, n, dn * q * r * (1 - r));
    vec_put(c.z, n, d * (vec_get(s->before[i] + first, n) - new) * z * (1 - z));
    vec_put(s->d_carry[i] + first, n, d * z);
}

void LEVEL(kernel_gru_backward)(const StepRows *s, bool reverse)
{
    for (int i = 0; i < s->rows; i++) {
        int64_t j = 0;
        for (; j + LANES <= s->h; j += LANES) gradients(s, i, j, LANES, reverse);
        if (j < s->h) gradients(s, i, j, s->h - j, reverse);
    }
}
