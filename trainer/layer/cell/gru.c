/* gru.c - gated recurrent unit: the reset gate is applied after the recurrent product, whose bias stands behind the
 * others. Columns of the record: q r z n (kernel/gru.c). */
#include "trainer/layer/cell/cell.h"

static void forward(const StepRows *s, const Panel *u, const real *b) { kernels()->gru_forward(s, u, b + 3 * s->h); }

static void backward(const StepRows *s) { kernels()->gru_backward(s); }

const CellDef cell_gru = {.component = {.name = "gru", .help = "Gated recurrent unit.", .source = "Cho et al. 2014"},
                          .gates_text = "r z n",
                          .gates = 3,
                          .columns = 4,
                          .input = 1,
                          .recurrent = 0,
                          .recurrent_gate = {2, 0, 1},
                          .recurrent_bias = 0,
                          .second = -1,
                          .forward = forward,
                          .backward = backward};
