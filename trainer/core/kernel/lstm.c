/* lstm.c - long short-term memory with a forget gate (Gers 2000), no peepholes:
 *   i = sigmoid(a_i + U_i h)   f = sigmoid(a_f + U_f h)   g = tanh(a_g + U_g h)   o = sigmoid(a_o + U_o h)
 *   c' = f c + i g   h' = o tanh(c')
 *
 * The record of a position, in columns of H: c i f g o, and i f g o c in the reverse direction. StepRows.record points
 * at i, StepRows.cell at c. Forward finds a in i f g o; backward leaves their gradients there (those of the input
 * projection and of the recurrent product are the same). */
#include "trainer/core/kernel/tile.h"

KERNEL_INLINE Vec cell_before(const StepRows *s, int row, int64_t first, int64_t n)
{
    Vec c = {0};
    if (s->cell_before[row]) c = vec_get(s->cell_before[row] + first, n);
    return c;
}

/* Row `row`, n units from `first` on. product: U_i h, U_f h, U_g h, U_o h, a vector each. */
KERNEL_INLINE void gates(const StepRows *s, int row, int64_t first, int64_t n, const real *product)
{
    real *a = s->record[row] + first;
    const int64_t h = s->h;
    const Vec i = vec_sigmoid(vec_get(a, n) + vec_load(product));
    const Vec f = vec_sigmoid(vec_get(a + h, n) + vec_load(product + LANES));
    const Vec g = vec_tanh(vec_get(a + 2 * h, n) + vec_load(product + 2 * LANES));
    const Vec o = vec_sigmoid(vec_get(a + 3 * h, n) + vec_load(product + 3 * LANES));
    const Vec c = f * cell_before(s, row, first, n) + i * g;
    const Vec state = o * vec_tanh(c);
    vec_put(a, n, i);
    vec_put(a + h, n, f);
    vec_put(a + 2 * h, n, g);
    vec_put(a + 3 * h, n, o);
    vec_put(s->cell[row] + first, n, c);
    vec_put(s->state[row] + first, n, state);
    if (s->next[row]) vec_put(s->next[row] + first, n, s->mask[row] ? state * vec_get(s->mask[row] + first, n) : state);
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
    for (int64_t panel = 0; panel < tile_panels(u); panel++, packed += u->k * 4 * LANES) {
        tile_step(s, u, 4, packed, products);
        gates_of_panel(s, panel * LANES, products);
    }
}

/* With d = dh': do = d tanh(c'), dc' = d o (1 - tanh^2 c') + what came from the position after;
 * di = dc' g, df = dc' c, dg = dc' i, dc = dc' f; each through its sigmoid or tanh. */
KERNEL_INLINE void gradients(const StepRows *s, int row, int64_t first, int64_t n)
{
    real *a = s->record[row] + first;
    const int64_t h = s->h;
    const Vec d = vec_get(s->d_state[row] + first, n) + vec_get(s->d_carry[row] + first, n);
    const Vec i = vec_get(a, n), f = vec_get(a + h, n), g = vec_get(a + 2 * h, n), o = vec_get(a + 3 * h, n);
    const Vec t = vec_tanh(vec_get(s->cell[row] + first, n));
    const Vec dc = d * o * (1 - t * t) + vec_get(s->d_cell[row] + first, n);
    vec_put(a, n, dc * g * i * (1 - i));
    vec_put(a + h, n, dc * cell_before(s, row, first, n) * f * (1 - f));
    vec_put(a + 2 * h, n, dc * i * (1 - g * g));
    vec_put(a + 3 * h, n, d * t * o * (1 - o));
    vec_put(s->d_cell[row] + first, n, dc * f);
    vec_put(s->d_carry[row] + first, n, (Vec){0});
}

void LEVEL(kernel_lstm_backward)(const StepRows *s)
{
    for (int i = 0; i < s->rows; i++) {
        int64_t j = 0;
        for (; j + LANES <= s->h; j += LANES) gradients(s, i, j, LANES);
        if (j < s->h) gradients(s, i, j, s->h - j);
    }
}
