/* gru.c - gated recurrent unit (Cho 2014), with the reset gate applied after the recurrent product, as cuDNN has it:
 *   r = sigmoid(a_r + U_r h)   z = sigmoid(a_z + U_z h)   q = U_n h + b   n = tanh(a_n + r q)   h' = n + z (h - n)
 * where a are the input projections with their biases, r z n.
 *
 * Columns of the record: q r z n. Backward leaves the gradient of each in its place: those of the sums behind r z n
 * (side by side) belong to the input projection, those of q and of the sums of r z (side by side too) to U h. */
#include "trainer/core/kernel/tile.h"

/* Row i, n units from `first` on. product: U_r h, U_z h, U_n h, a vector each. */
KERNEL_INLINE void gates(const StepRows *s, int i, int64_t first, int64_t n, const real *product, const real *bias)
{
    const int64_t h = s->h;
    const real *a = s->input[i] + first;
    real *record = s->record + i * 4 * h + first;
    const Vec r = vec_sigmoid(vec_get(a, n) + vec_load(product));
    const Vec z = vec_sigmoid(vec_get(a + h, n) + vec_load(product + LANES));
    const Vec q = vec_load(product + 2 * LANES) + vec_get(bias + first, n);
    const Vec cand = vec_tanh(vec_get(a + 2 * h, n) + r * q);
    const Vec state = cand + z * (vec_get(s->before[i] + first, n) - cand);
    vec_put(record, n, q);
    vec_put(record + h, n, r);
    vec_put(record + 2 * h, n, z);
    vec_put(record + 3 * h, n, cand);
    vec_put(s->state[i] + first, n, state);
    if (i < s->next_rows)
        vec_put(s->next + i * h + first, n, s->mask[i] ? state * vec_get(s->mask[i] + first, n) : state);
}

KERNEL_NOINLINE void gates_of_panel(const StepRows *s, int64_t first, const real *products, const real *bias)
{
    const int64_t n = s->h - first;
    if (n >= LANES)
        for (int i = 0; i < s->rows; i++) gates(s, i, first, LANES, products + i * 3 * LANES, bias);
    else
        for (int i = 0; i < s->rows; i++) gates(s, i, first, n, products + i * 3 * LANES, bias);
}

void LEVEL(kernel_gru_forward)(const StepRows *s, const Panel *u, const real *bias)
{
    real products[TILE_BUFFER] __attribute__((aligned(64)));
    const real *packed = u->packed;
    TileStep t;
    tile_prefetch(s, 3);
    tile_step_rows(s, 3, products, &t);
    for (int64_t panel = 0; panel < tile_panels(u); panel++, packed += u->k * 3 * LANES) {
        tile_step(s, &t, u, 3, packed);
        gates_of_panel(s, panel * LANES, products, bias);
    }
}

/* With d = dh': dz = d (h - n), dn = d (1 - z), through tanh dn (1 - n^2) = da_n, dr = da_n q, dq = da_n r,
 * through sigmoid dr r (1 - r), dz z (1 - z); dh gets z d here, and U^T times (dq dr dz) from the caller. */
KERNEL_INLINE void gradients(const StepRows *s, int i, int64_t first, int64_t n)
{
    const int64_t h = s->h;
    real *record = s->record + i * 4 * h + first, *carry = s->d_carry + i * h + first;
    const Vec d = vec_get(s->d_state[i] + first, n) + vec_get(carry, n);
    const Vec q = vec_get(record, n), r = vec_get(record + h, n), z = vec_get(record + 2 * h, n);
    const Vec cand = vec_get(record + 3 * h, n);
    const Vec dn = d * (1 - z) * (1 - cand * cand);
    vec_put(record, n, dn * r);
    vec_put(record + h, n, dn * q * r * (1 - r));
    vec_put(record + 2 * h, n, d * (vec_get(s->before[i] + first, n) - cand) * z * (1 - z));
    vec_put(record + 3 * h, n, dn);
    vec_put(carry, n, d * z);
}

void LEVEL(kernel_gru_backward)(const StepRows *s)
{
    for (int i = 0; i < s->rows; i++) {
        int64_t j = 0;
        for (; j + LANES <= s->h; j += LANES) gradients(s, i, j, LANES);
        if (j < s->h) gradients(s, i, j, s->h - j);
    }
}
