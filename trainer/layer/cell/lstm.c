/* lstm.c - long short-term memory with forget gate. Columns of the record: c i f g o (kernel/lstm.c). */
#include "trainer/layer/cell/cell.h"

static const Field fields[] = {
    FIELD(LstmSettings, forget_bias, .preset = "1", .min = -10, .max = 10, .help = "Added to the forget gate's sum."),
};

static void add_bias(const void *settings, int64_t h, real *b)
{
    const LstmSettings *set = settings;
    for (int64_t j = 0; j < h; j++) b[h + j] += set ? (real)set->forget_bias : 1;
}

static void forward(const StepRows *s, const Panel *u, const real *b)
{
    (void)b;
    kernels()->lstm_forward(s, u);
}

static void backward(const StepRows *s) { kernels()->lstm_backward(s); }

const CellDef cell_lstm = {.component = {.name = "lstm",
                                         .help = "Long short-term memory with forget gate.",
                                         .source = "Gers et al. 2000",
                                         ROWS(fields, LstmSettings)},
                           .gates_text = "i f g o",
                           .gates = 4,
                           .columns = 5,
                           .input = 1,
                           .recurrent = 1,
                           .recurrent_gate = {0, 1, 2, 3},
                           .recurrent_bias = -1,
                           .second = 0,
                           .add_bias = add_bias,
                           .forward = forward,
                           .backward = backward};
