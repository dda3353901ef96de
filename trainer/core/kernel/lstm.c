/* lstm.c - long short-term memory with a forget gate (Gers 2000), no peepholes:
 *   i = sigmoid(a_i + U_i h)   f = sigmoid(a_f + U_f h)   g = tanh(a_g + U_g h)   o = sigmoid(a_o + U_o h)
 *   c' = f c + i g   h' = o tanh(c')
 * where a are the input projections with their biases, i f g o.
 *
 * Columns of the record: c i f g o. Backward leaves the gradients of the sums behind i f g o in their places; those of
 * the input projection and of U h are the same. */
#include "trainer/core/kernel/tile.h"

KERNEL_INLINE Vec cell_before(const StepRows *s, int row, int64_t first, int64_t n)
{
    Vec c = {0};
    if (s->record_before) c = vec_get(s->record_before + row * 5 * s->h + first, n);
    return c;
}

/* Row `row`, n units from `first` on. product: U_i h, U_f h, U_g h, U_o h, a vector each. */
KERNEL_INLINE void gates(const StepRows *s, int row, int64_t first, int64_t n, const real *product)
{
    const int64_t h = s->h;
    const real *a = s->input[row] + first;
    real *record = s->record + row * 5 * h + first;
    const Vec i = vec_sigmoid(vec_get(a, n) + vec_load(product));
    const Vec f = vec_sigmoid(vec_get(a + h, n) + vec_load(product + LANES));
    const Vec g = vec_tanh(vec_get(a + 2 * h, n) + vec_load(product + 2 * LANES));
    const Vec o = vec_sigmoid(vec_get(a + 3 * h, n) + vec_load(product + 3 * LANES));
    const Vec c = f * cell_before(s, row, first, n) + i * g;
    const Vec state = o * vec_tanh(c);
    vec_put(record, n, c);
    vec_put(record + h, n, i);
    vec_put(record + 2 * h, n, f);
    vec_put(record + 3 * h, n, g);
    vec_put(record + 4 * h, n, o);
    vec_put(s->state[row] + first, n, state);
    if (row < s->next_rows)
        vec_put(s->next + row * h + first, n, s->mask[row] ? state * vec_get(s->mask[row] + first, n) : state);
}

KERNEL_NOINLINE void gates_of_panel(const StepRows *s, int64_t first, const real *products)
{
    const int64_t n = s->h - first;
    if (n >= LANES)
        for (int i = 0; i < s->rows; i++) gates(s, i, first, LANES, products + i * 4 * LANES);
    else
        for (int i = 0; i < s->rows; i++) gates(s, i, first, n, products + i * 4 * LANES);
}

void LEVEL(kernel_lstm_forward)(const StepRows *s, const Panel *u)
{
    real products[TILE_BUFFER] __attribute__((aligned(64)));
    const real *packed = u->packed;
    TileStep t;
    tile_prefetch(s, 4);
    tile_step_rows(s, 4, products, &t);
    for (int64_t panel = 0; panel < tile_panels(u); panel++, packed += u->k * 4 * LANES) {
        tile_step(s, &t, u, 4, packed);
        gates_of_panel(s, panel * LANES, products);
    }
}

/* With d = dh': do = d tanh(c'), dc' = d o (1 - tanh^2 c') + what came from the position after;
 * di = dc' g, df = dc' c, dg = dc' i, dc = dc' f; each through its sigmoid or tanh. */
KERNEL_INLINE void gradients(const StepRows *s, int row, int64_t first, int64_t n)
{
    const int64_t h = s->h;
    real *record = s->record + row * 5 * h + first;
    real *carry = s->d_carry + row * h + first, *d_cell = s->d_cell + row * h + first;
    const Vec d = vec_get(s->d_state[row] + first, n) + vec_get(carry, n);
    const Vec t = vec_tanh(vec_get(record, n)), i = vec_get(record + h, n), f = vec_get(record + 2 * h, n);
    const Vec g = vec_get(record + 3 * h, n), o = vec_get(record + 4 * h, n);
    const Vec dc = d * o * (1 - t * t) + vec_get(d_cell, n);
    vec_put(record + h, n, dc * g * i * (1 - i));
    vec_put(record + 2 * h, n, dc * cell_before(s, row, first, n) * f * (1 - f));
    vec_put(record + 3 * h, n, dc * i * (1 - g * g));
    vec_put(record + 4 * h, n, d * t * o * (1 - o));
    vec_put(d_cell, n, dc * f);
    vec_put(carry, n, (Vec){0});
}

void LEVEL(kernel_lstm_backward)(const StepRows *s)
{
    for (int i = 0; i < s->rows; i++) {
        int64_t j = 0;
        for (; j + LANES <= s->h; j += LANES) gradients(s, i, j, LANES);
        if (j < s->h) gradients(s, i, j, s->h - j);
    }
}
