/* rnn_forward.c - the input projections of a block of sequences, then its steps in each direction. */
#include <string.h>

#include "trainer/layer/rnn_run.h"

typedef struct Packed {
    Panel w, u[2];
    real *bias; /* (inputs) */
} Packed;

/* W and b of both directions side by side, their columns in the order of the record. */
static Status arrange(RnnRun *run, Arena *scratch, double forget_bias, Packed *p)
{
    const int64_t h = run->h, input = run->layer->input;
    const int gates = run->def->gates;
    TRY_NEW(p->bias, scratch, run->inputs);
    for (int d = 0; d < run->directions; d++)
        for (int g = 0; g < gates; g++) {
            const int gate = run->def->input_gate[d][g];
            const int64_t to = (d * gates + g) * h, from = gate * h;
            for (int64_t i = 0; i < input; i++)
                memcpy(run->w + i * run->inputs + to, run->layer->w[d]->value + i * gates * h + from,
                       (size_t)h * sizeof(real));
            const bool forget = gates == 4 && gate == 1;
            for (int64_t j = 0; j < h; j++)
                p->bias[to + j] = run->layer->b[d]->value[from + j] + (forget ? (real)forget_bias : 0);
        }
    return OK;
}

static Status pack(RnnRun *run, Arena *scratch, double forget_bias, Packed *p)
{
    TRY(arrange(run, scratch, forget_bias, p));
    TRY(panel_pack(&p->w, scratch, run->w, false, run->layer->input, run->inputs));
    for (int d = 0; d < run->directions; d++)
        TRY(panel_pack_gates(&p->u[d], scratch, run->layer->u[d]->value, run->h, run->h, run->def->gates));
    return OK;
}

static void step(const RnnRun *run, const StepRows *s, const Packed *p, int direction)
{
    const Kernels *k = kernels();
    const Panel *u = &p->u[direction];
    if (run->def->gates == 3)
        k->gru_forward(s, u, run->layer->b[direction]->value + 3 * run->h, direction == 1);
    else if (run->def->gates == 4)
        k->lstm_forward(s, u);
    else
        k->rnn_forward(s, u);
}

static void clear_before(const RnnRun *run, const StepRows *s)
{
    for (int i = 0; i < s->rows; i++)
        memset(run->before + (s->state[i] - run->states), 0, (size_t)run->h * sizeof(real));
}

static void run_block(const RnnRun *run, const RnnBlock *b, const Packed *p, int direction)
{
    StepRows s = {.h = run->h};
    int64_t active = b->n;
    for (int64_t t = 0; t < b->steps; t++) {
        active = rnn_active(run, b, t, active);
        s.first = t == 0;
        for (int64_t first = 0; first < active; first += s.rows) {
            s.rows = active - first < PANEL_ROWS_MAX ? (int)(active - first) : PANEL_ROWS_MAX;
            rnn_step_rows(run, b, direction, t, first, &s);
            if (s.first) clear_before(run, &s);
            step(run, &s, p, direction);
        }
    }
}

/* With an index, each row is projected once and fetched as often as it is used. */
Status rnn_run_forward(RnnRun *run, Arena *scratch, const real *x, double forget_bias)
{
    Packed p;
    TRY(pack(run, scratch, forget_bias, &p));
    real *projected = NULL;
    if (run->index) {
        projected = arena_alloc(scratch, (size_t)(run->rows * run->inputs) * sizeof(real));
        if (!projected) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
        panel_gemm_bias(run->rows, x, run->layer->input, &p.w, p.bias, projected, run->inputs);
    }
    for (int i = 0; i < run->n_blocks; i++) {
        const RnnBlock *b = &run->block[i];
        real *to = run->record + b->position * run->width + rnn_input_column(run);
        if (projected)
            kernels()->gather(b->positions, run->inputs, projected, run->inputs, run->index + b->position, to,
                              run->width);
        else
            panel_gemm_bias(b->positions, x + b->position * run->layer->input, run->layer->input, &p.w, p.bias, to,
                            run->width);
        for (int d = 0; d < run->directions; d++) run_block(run, b, &p, d);
    }
    return OK;
}
