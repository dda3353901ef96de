/* gru.c - gated recurrent unit, in two forms. Columns of the record: q r z n.
 *
 * after (cuDNN): the reset gate is applied after the recurrent product, n = tanh(a_n + r (U_n h + b)); b stands behind
 * the other biases (kernel/gru.c). before (Cho 2014, Bahdanau 2015): n = tanh(a_n + U_n q) of q = r h, which takes a
 * second product when r is known; no more biases. Both: r, z = sigmoid(a + U h), h' = n + z (h - n). */
#include <string.h>

#include "trainer/layer/cell/cell.h"

extern const CellDef cell_gru;

static const char *reset_name(int i) { return (const char *const[]){"after", "before", NULL}[i]; }

static const Field fields[] = {
    FIELD(
        GruSettings, reset, .preset = "after", .choice = reset_name,
        .help =
            "Where the reset gate stands: after the product with U, tanh(W x + r (U h + b)) as cuDNN has it, which is "
            "one product a step; before, tanh(W x + U (r h)) (Cho 2014, Bahdanau 2015), two."),
};

/* --- After. --- */

static void forward(const StepRows *s, const Panel *u, const real *b) { kernels()->gru_forward(s, u, b + 3 * s->h); }

static void backward(const StepRows *s) { kernels()->gru_backward(s); }

/* --- Before. h is the masked state where it meets U, and the state itself in h'. --- */

static void candidate(const StepRows *s, int i, real *n, const real *z)
{
    const int64_t h = s->h;
    kernels()->add(h, s->input[i] + 2 * h, n);
    kernels()->tanh(h, n, n);
    for (int64_t j = 0; j < h; j++) {
        const real state = n[j] + z[j] * (s->before[i][j] - n[j]);
        s->state[i][j] = state;
        if (i < s->next_rows) s->next[i * h + j] = s->mask[i] ? state * s->mask[i][j] : state;
    }
}

static void forward_before(const StepRows *s, const Panel *u, const real *b)
{
    const int64_t h = s->h, width = 4 * h;
    real *record = s->record;
    (void)b;
    panel_gemm(s->rows, s->in, h, &u[0], 0, record + h, width);
    for (int i = 0; i < s->rows; i++) {
        real *r = record + i * width + h;
        kernels()->add(2 * h, s->input[i], r);
        kernels()->sigmoid(2 * h, r, r);
        kernels()->multiply(h, r, s->in + i * h, r - h);
    }
    panel_gemm(s->rows, record, width, &u[1], 0, record + 3 * h, width);
    for (int i = 0; i < s->rows; i++) candidate(s, i, record + i * width + 3 * h, record + i * width + 2 * h);
}

/* With d = dh': da_n = d (1 - z) (1 - n^2), da_z = d (h - n) z (1 - z), dh gets z d; the rest needs da_n U_n^T. */
static void backward_before(const StepRows *s)
{
    const int64_t h = s->h;
    for (int i = 0; i < s->rows; i++) {
        real *r = s->record + i * 4 * h + h, *z = r + h, *n = z + h, *carry = s->d_carry + i * h;
        for (int64_t j = 0; j < h; j++) {
            const real d = s->d_state[i][j] + carry[j], gate = z[j];
            carry[j] = d * gate;
            z[j] = d * (s->before[i][j] - n[j]) * gate * (1 - gate);
            n[j] = d * (1 - gate) * (1 - n[j] * n[j]);
        }
        if (s->first) memset(r, 0, (size_t)h * sizeof *r); /* da_r: h is 0 */
    }
}

/* dq = da_n U_n^T, da_r = dq h r (1 - r), dh += mask (dq r + (da_r da_z) (U_r U_z)^T) */
static void carry_before(const StepRows *s, const Panel *ut, real *product)
{
    const int64_t h = s->h, width = 4 * h;
    panel_gemm(s->rows, s->record + 3 * h, width, &ut[1], 0, product, h);
    for (int i = 0; i < s->rows; i++) {
        real *r = s->record + i * width + h, *dq = product + i * h;
        for (int64_t j = 0; j < h; j++) {
            const real gate = r[j];
            r[j] = dq[j] * s->in[i * h + j] * gate * (1 - gate);
            dq[j] *= gate;
        }
    }
    panel_gemm(s->rows, s->record + h, width, &ut[0], 1, product, h);
    for (int i = 0; s->mask[0] && i < s->rows; i++)
        kernels()->multiply(h, product + i * h, s->mask[i], product + i * h);
    kernels()->add(s->rows * h, product, s->d_carry);
}

#define GRU                                                                                                            \
    .component = {.name = "gru",                                                                                       \
                  .help = "Gated recurrent unit.",                                                                     \
                  .source = "Cho et al. 2014",                                                                         \
                  ROWS(fields, GruSettings)},                                                                          \
    .gates_text = "r z n", .gates = 3, .columns = 4, .input = 1, .second = -1

static const CellDef gru_before = {GRU,
                                   .recurrent = 1,
                                   .recurrent_gate = {0, 1, 2},
                                   .recurrent_bias = -1,
                                   .last_apart = true,
                                   .forward = forward_before,
                                   .backward = backward_before,
                                   .carry = carry_before};

static const CellDef *form(const void *settings)
{
    return ((const GruSettings *)settings)->reset == GRU_RESET_BEFORE ? &gru_before : &cell_gru;
}

const CellDef cell_gru = {GRU,
                          .recurrent = 0,
                          .recurrent_gate = {2, 0, 1},
                          .recurrent_bias = 0,
                          .forward = forward,
                          .backward = backward,
                          .form = form};
