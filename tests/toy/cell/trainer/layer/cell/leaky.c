/* leaky.c - leaky unit: h' = (h + n) / 2, n = tanh(a + U h). The record is n; backward leaves the gradient of the sum.
 */
#include <string.h>

#include "trainer/layer/cell/cell.h"

static void forward(const StepRows *s, const Panel *u, const real *b)
{
    const int64_t h = s->h;
    (void)b;
    if (s->first)
        memset(s->record, 0, (size_t)(s->rows * h) * sizeof *s->record);
    else
        panel_gemm(s->rows, s->in, h, u, 0, s->record, h);
    for (int i = 0; i < s->rows; i++) {
        real *n = s->record + i * h;
        kernels()->add(h, s->input[i], n);
        kernels()->tanh(h, n, n);
        for (int64_t j = 0; j < h; j++) {
            const real state = ((s->first ? 0 : s->before[i][j]) + n[j]) / 2;
            s->state[i][j] = state;
            if (i < s->next_rows) s->next[i * h + j] = s->mask[i] ? state * s->mask[i][j] : state;
        }
    }
}

/* da = dh' / 2 (1 - n^2), dh = dh' / 2; dh gets U^T da from the caller. */
static void backward(const StepRows *s)
{
    for (int i = 0; i < s->rows; i++) {
        real *record = s->record + i * s->h, *carry = s->d_carry + i * s->h;
        for (int64_t j = 0; j < s->h; j++) {
            const real d = (s->d_state[i][j] + carry[j]) / 2, n = record[j];
            record[j] = d * (1 - n * n);
            carry[j] = d;
        }
    }
}

const CellDef cell_leaky = {.component = {.name = "leaky", .help = "Leaky unit."},
                            .gates_text = "h",
                            .gates = 1,
                            .columns = 1,
                            .recurrent_bias = -1,
                            .second = -1,
                            .forward = forward,
                            .backward = backward};
