/* rnn_forward.c - the input projections, then the steps of each block of sequences in each direction. */
#include <string.h>

#include "trainer/layer/rnn_run.h"

typedef struct Work {
    Panel w, u[2];
    real *bias;      /* (inputs) */
    real *projected; /* (U, inputs) with an index, otherwise (largest block, inputs) */
} Work;

/* W and b of both directions side by side. */
static Status arrange(RnnRun *run, Arena *scratch, double forget_bias, Work *w)
{
    const int64_t h = run->h, gates = run->def->gates * h;
    TRY_NEW(w->bias, scratch, run->inputs);
    for (int d = 0; d < run->directions; d++) {
        for (int64_t i = 0; i < run->layer->input; i++)
            memcpy(run->w + i * run->inputs + d * gates, run->layer->w[d]->value + i * gates,
                   (size_t)gates * sizeof(real));
        memcpy(w->bias + d * gates, run->layer->b[d]->value, (size_t)gates * sizeof(real));
        for (int64_t j = 0; run->def->gates == 4 && j < h; j++) w->bias[d * gates + h + j] += (real)forget_bias;
    }
    return OK;
}

static int64_t rows_projected_at_once(const RnnRun *run)
{
    int64_t most = 0;
    for (int i = 0; i < run->n_blocks; i++) most = run->block[i].positions > most ? run->block[i].positions : most;
    return run->index ? run->rows : most;
}

static Status prepare(RnnRun *run, Arena *scratch, double forget_bias, Work *w)
{
    TRY(arrange(run, scratch, forget_bias, w));
    TRY(panel_pack(&w->w, scratch, run->w, false, run->layer->input, run->inputs));
    for (int d = 0; d < run->directions; d++)
        TRY(panel_pack_gates(&w->u[d], scratch, run->layer->u[d]->value, run->h, run->h, run->def->gates));
    w->projected = arena_alloc(scratch, (size_t)(rows_projected_at_once(run) * run->inputs) * sizeof(real));
    return w->projected ? OK : status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
}

static void step(const RnnRun *run, const StepRows *s, const Work *w, int direction)
{
    const Kernels *k = kernels();
    const Panel *u = &w->u[direction];
    if (run->def->gates == 3)
        k->gru_forward(s, u, run->layer->b[direction]->value + 3 * run->h);
    else if (run->def->gates == 4)
        k->lstm_forward(s, u);
    else
        k->rnn_forward(s, u);
}

static void run_block(const RnnRun *run, const RnnBlock *b, const Work *w, int direction)
{
    const real *projected = w->projected + direction * run->def->gates * run->h;
    if (b->positions) /* the states before the first steps */
        memset(run->before[direction] + b->position * run->h, 0,
               (size_t)((b->start[1] - b->start[0]) * run->h) * sizeof(real));
    StepRows s;
    for (int64_t t = 0; t < b->steps; t++)
        for (int64_t first = 0; first < b->start[t + 1] - b->start[t]; first += s.rows) {
            rnn_step_rows(run, b, direction, t, first, &s);
            for (int i = 0; i < s.rows; i++) {
                const int64_t p = rnn_position(run, b, direction, t, first + i);
                s.input[i] = projected + (run->index ? run->index[p] : p - b->position) * run->inputs;
            }
            step(run, &s, w, direction);
        }
}

/* With an index, each row of x is projected once, however often it is used. */
Status rnn_run_forward(RnnRun *run, Arena *scratch, const real *x, double forget_bias)
{
    Work w;
    TRY(prepare(run, scratch, forget_bias, &w));
    const int64_t input = run->layer->input;
    if (run->index) panel_gemm_bias(run->rows, x, input, &w.w, w.bias, w.projected, run->inputs);
    for (int i = 0; i < run->n_blocks; i++) {
        const RnnBlock *b = &run->block[i];
        if (!run->index)
            panel_gemm_bias(b->positions, x + b->position * input, input, &w.w, w.bias, w.projected, run->inputs);
        for (int d = 0; d < run->directions; d++) run_block(run, b, &w, d);
    }
    return OK;
}
