/* rnn.c - plain recurrent unit: h' = tanh(a + U h). */
#include "trainer/layer/cell/cell.h"

static void forward(const StepRows *s, const Panel *u, const real *b)
{
    (void)b;
    kernels()->rnn_forward(s, u);
}

static void backward(const StepRows *s) { kernels()->rnn_backward(s); }

const CellDef cell_rnn = {.component = {.name = "rnn", .help = "Plain recurrent unit.", .source = "Elman 1990"},
                          .gates_text = "h",
                          .gates = 1,
                          .columns = 1,
                          .recurrent_bias = -1,
                          .second = -1,
                          .forward = forward,
                          .backward = backward};
