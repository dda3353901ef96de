/* rnn_backward.c - the steps of a block back in time, then its share of the weight gradients while it is hot.
 *
 * With dA the gradients of the gates' sums: dW = x^T dA, dx = dA W^T, dU = (h before, masked)^T dA', db = column sums
 * of dA, where dA' are those of the recurrent product (GRU: q instead of n). */
#include <string.h>

#include "trainer/core/blas.h"
#include "trainer/layer/rnn_run.h"

enum { CHUNK_ROWS = 1024 }; /* rows of x whose gradients are summed and used at once */

typedef struct Work {
    Panel wt;       /* W^T (inputs, input) */
    Panel ut[2];    /* U^T (G * H, H), rows in the order of the record */
    real *dw;       /* (input, inputs) */
    real *du[2];    /* (H, G * H), columns in the order of the record */
    real *sums;     /* (width) column sums of the records */
    real *carry;    /* (largest block, H) */
    real *cell;     /* (largest block, H) */
    real *masked;   /* (PANEL_ROWS_MAX, H) */
    real *d_rows;   /* (CHUNK_ROWS, inputs) with an index: the gradients summed by row of x */
    int64_t *start; /* (U + 1) and */
    int32_t *list;  /* (N) the positions of each row of x */
} Work;

static Status pack_recurrent(const RnnRun *run, Arena *scratch, int direction, Panel *ut)
{
    const int64_t h = run->h;
    const int gates = run->def->gates;
    real *u;
    TRY_NEW(u, scratch, h * gates * h);
    for (int64_t i = 0; i < h; i++)
        for (int g = 0; g < gates; g++)
            memcpy(u + (i * gates + g) * h,
                   run->layer->u[direction]->value + (i * gates + run->def->recurrent_gate[direction][g]) * h,
                   (size_t)h * sizeof(real));
    return panel_pack(ut, scratch, u, true, gates * h, h);
}

static int64_t largest_block(const RnnRun *run)
{
    int64_t n = 0;
    for (int i = 0; i < run->n_blocks; i++) n = run->block[i].n > n ? run->block[i].n : n;
    return n;
}

/* The positions of each row of x, ascending: a counting sort. */
static Status invert_index(const RnnRun *run, Arena *scratch, Work *w)
{
    TRY_NEW(w->start, scratch, run->rows + 2);
    TRY_NEW(w->list, scratch, run->positions);
    int64_t *end = w->start + 1; /* end[r]: where the next position of row r goes; when all are placed, its end */
    for (int64_t p = 0; p < run->positions; p++) end[run->index[p] + 1]++;
    for (int64_t r = 0; r < run->rows; r++) end[r + 1] += end[r];
    for (int64_t p = 0; p < run->positions; p++) w->list[end[run->index[p]]++] = (int32_t)p;
    return OK;
}

static Status prepare(const RnnRun *run, Arena *scratch, const RnnGradients *g, Work *w)
{
    *w = (Work){0};
    const int64_t h = run->h, gates = run->def->gates;
    for (int d = 0; d < run->directions; d++) {
        TRY(pack_recurrent(run, scratch, d, &w->ut[d]));
        TRY_NEW(w->du[d], scratch, h * gates * h);
    }
    if (g->x) TRY(panel_pack(&w->wt, scratch, run->w, true, run->inputs, run->layer->input));
    TRY_NEW(w->dw, scratch, run->layer->input * run->inputs);
    TRY_NEW(w->sums, scratch, run->width);
    TRY_NEW(w->carry, scratch, largest_block(run) * h);
    TRY_NEW(w->cell, scratch, largest_block(run) * h);
    TRY_NEW(w->masked, scratch, PANEL_ROWS_MAX * h);
    if (!run->index) return OK;
    TRY_NEW(w->d_rows, scratch, CHUNK_ROWS * run->inputs);
    return invert_index(run, scratch, w);
}

/* d_carry += mask * (dA' U^T) */
static void carry_back(const RnnRun *run, StepRows *s, const Work *w, int direction, int64_t column)
{
    const real *from[PANEL_ROWS_MAX];
    real *masked[PANEL_ROWS_MAX];
    for (int i = 0; i < s->rows; i++) {
        from[i] = s->record[i] + column;
        masked[i] = w->masked + i * run->h;
    }
    if (!run->mask[direction]) {
        kernels()->panel_rows(s->rows, from, &w->ut[direction], 1, NULL, s->d_carry);
        return;
    }
    kernels()->panel_rows(s->rows, from, &w->ut[direction], 0, NULL, masked);
    for (int i = 0; i < s->rows; i++) {
        kernels()->multiply(run->h, masked[i], s->mask[i], masked[i]);
        kernels()->add(run->h, masked[i], s->d_carry[i]);
    }
}

static void step(const RnnRun *run, StepRows *s, const Work *w, int direction)
{
    const Kernels *k = kernels();
    if (run->def->gates == 3)
        k->gru_backward(s, direction == 1);
    else if (run->def->gates == 4)
        k->lstm_backward(s);
    else
        k->rnn_backward(s);
    /* LSTM: s->record is at the gates already */
    const int64_t column = run->def->gates == 4 ? 0 : run->def->recurrent[direction] * run->h;
    if (!s->first) carry_back(run, s, w, direction, column);
}

static void run_block(const RnnRun *run, const RnnBlock *b, const real *d_states, const Work *w, int direction)
{
    const int64_t h = run->h;
    memset(w->carry, 0, (size_t)(b->n * h) * sizeof(real));
    memset(w->cell, 0, (size_t)(b->n * h) * sizeof(real));
    StepRows s = {.h = h};
    for (int64_t t = b->steps - 1; t >= 0; t--) {
        const int64_t active = rnn_active(run, b, t, b->n);
        s.first = t == 0;
        for (int64_t first = 0; first < active; first += s.rows) {
            s.rows = active - first < PANEL_ROWS_MAX ? (int)(active - first) : PANEL_ROWS_MAX;
            rnn_step_rows(run, b, direction, t, first, &s);
            for (int i = 0; i < s.rows; i++) {
                s.d_state[i] = d_states + (s.state[i] - run->states);
                s.d_carry[i] = w->carry + (first + i) * h;
                s.d_cell[i] = w->cell + (first + i) * h;
            }
            step(run, &s, w, direction);
        }
    }
}

static void block_gradients(const RnnRun *run, const RnnBlock *b, const Work *w)
{
    const int64_t h = run->h, wide = run->directions * h, gates = run->def->gates * h;
    const real *record = run->record + b->position * run->width;
    kernels()->column_sums(b->positions, run->width, record, run->width, w->sums);
    for (int d = 0; d < run->directions; d++) {
        const real *da = record + (d * run->def->columns + run->def->recurrent[d]) * h;
        blas_gemm(true, false, h, gates, b->positions, 1, run->before + b->position * wide + d * h, wide, da,
                  run->width, 1, w->du[d], gates);
    }
}

/* rows of x from `first` on, with the gradients da of their projections */
static void input_gradients(const RnnRun *run, int64_t first, int64_t rows, const real *x, const real *da, int64_t ld,
                            const Work *w, real *dx)
{
    const int64_t input = run->layer->input;
    blas_gemm(true, false, input, run->inputs, rows, 1, x + first * input, input, da, ld, 1, w->dw, run->inputs);
    if (dx) panel_gemm(rows, da, ld, &w->wt, 1, dx + first * input, input);
}

static void indexed_input_gradients(const RnnRun *run, const real *x, const Work *w, real *dx)
{
    const real *da = run->record + rnn_input_column(run);
    for (int64_t first = 0; first < run->rows; first += CHUNK_ROWS) {
        const int64_t rows = run->rows - first < CHUNK_ROWS ? run->rows - first : CHUNK_ROWS;
        kernels()->gather_sum(rows, run->inputs, da, run->width, w->start + first, w->list, w->d_rows, run->inputs);
        input_gradients(run, first, rows, x, w->d_rows, run->inputs, w, dx);
    }
}

/* to (rows, G * H) += from (rows, ld), whose gates are in the order gate[] */
static void add_gates(const RnnRun *run, int64_t rows, const real *from, int64_t ld, const int *gate, real *to)
{
    for (int64_t i = 0; to && i < rows; i++)
        for (int g = 0; g < run->def->gates; g++)
            kernels()->add(run->h, from + i * ld + g * run->h, to + (i * run->def->gates + gate[g]) * run->h);
}

static void add_to_parameters(const RnnRun *run, const Work *w, const RnnGradients *g)
{
    const RnnCellDef *def = run->def;
    const int64_t h = run->h, gates = def->gates * h;
    for (int d = 0; d < run->directions; d++) {
        const real *sums = w->sums + d * def->columns * h;
        const int bias = d ? def->recurrent_bias_reverse : def->recurrent_bias;
        add_gates(run, run->layer->input, w->dw + d * gates, run->inputs, def->input_gate[d], g->w[d]);
        add_gates(run, h, w->du[d], gates, def->recurrent_gate[d], g->u[d]);
        add_gates(run, 1, sums + def->input[d] * h, gates, def->input_gate[d], g->b[d]);
        if (g->b[d] && def->recurrent_bias >= 0) kernels()->add(h, sums + bias * h, g->b[d] + gates);
    }
}

Status rnn_run_backward(RnnRun *run, Arena *scratch, const real *x, const real *d_states, const RnnGradients *g)
{
    REQUIRE(!run->spent, ERR_INTERNAL, "a recurrent layer went back twice over one pass");
    run->spent = true;
    Work w;
    TRY(prepare(run, scratch, g, &w));
    for (int i = 0; i < run->n_blocks; i++) {
        const RnnBlock *b = &run->block[i];
        for (int d = 0; d < run->directions; d++) run_block(run, b, d_states, &w, d);
        block_gradients(run, b, &w);
        if (!run->index)
            input_gradients(run, b->position, b->positions, x,
                            run->record + b->position * run->width + rnn_input_column(run), run->width, &w, g->x);
    }
    if (run->index) indexed_input_gradients(run, x, &w, g->x);
    add_to_parameters(run, &w, g);
    return OK;
}
