/* rnn.c - plain recurrent unit (Elman 1990): h' = tanh(a + U h), a the input projection with its bias.
 *
 * The record is h'; backward leaves the gradient of the sum there. */
#include "trainer/core/kernel/tile.h"

KERNEL_INLINE void activate(const StepRows *s, int i, int64_t first, int64_t n, const real *product)
{
    const Vec h = vec_tanh(vec_get(s->input[i] + first, n) + vec_load(product));
    vec_put(s->record + i * s->h + first, n, h);
    vec_put(s->state[i] + first, n, h);
    if (i < s->next_rows) vec_put(s->next + i * s->h + first, n, s->mask[i] ? h * vec_get(s->mask[i] + first, n) : h);
}

void LEVEL(kernel_rnn_forward)(const StepRows *s, const Panel *u)
{
    real products[TILE_BUFFER] __attribute__((aligned(64)));
    const real *packed = u->packed;
    TileStep t;
    tile_prefetch(s, 1);
    tile_step_rows(s, 1, products, &t);
    for (int64_t panel = 0; panel < tile_panels(u); panel++, packed += u->k * LANES) {
        tile_step(s, &t, u, 1, packed);
        const int64_t first = panel * LANES, n = s->h - first;
        for (int i = 0; i < s->rows; i++) activate(s, i, first, n < LANES ? n : LANES, products + i * LANES);
    }
}

/* da = dh' (1 - h'^2); dh gets U^T da from the caller. */
void LEVEL(kernel_rnn_backward)(const StepRows *s)
{
    for (int i = 0; i < s->rows; i++)
        for (int64_t j = 0; j < s->h; j += LANES) {
            const int64_t n = s->h - j;
            real *record = s->record + i * s->h + j, *carry = s->d_carry + i * s->h + j;
            const Vec d = vec_get(s->d_state[i] + j, n) + vec_get(carry, n), h = vec_get(record, n);
            vec_put(record, n, d * (1 - h * h));
            vec_put(carry, n, (Vec){0});
        }
}
