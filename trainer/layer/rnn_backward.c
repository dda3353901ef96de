/* rnn_backward.c - the steps of a block back in time, then its share of the weight gradients while it is hot.
 *
 * With dA the gradients of the gates' sums: dW = x^T dA, dx = dA W^T, dU = (states before, masked)^T dA', db = column
 * sums of dA, where dA' are those of the recurrent product (GRU: q instead of n). */
#include <string.h>

#include "trainer/core/blas.h"
#include "trainer/layer/rnn_run.h"

enum { CHUNK_ROWS = 1024 }; /* rows of x whose gradients are summed and used at once */

typedef struct Work {
    Panel wt;       /* W^T (inputs, input) */
    Panel ut[2];    /* U^T (G * H, H), rows in the order of the record */
    real *dw;       /* (input, inputs) */
    real *du[2];    /* (H, G * H), columns in the order of the record */
    real *sums[2];  /* (columns * H) column sums of the records */
    real *carry;    /* (largest block, H) */
    real *cell;     /* (largest block, H) */
    real *product;  /* (PANEL_ROWS_MAX, H) */
    real *d_rows;   /* (CHUNK_ROWS or the largest block, inputs): the gradients by row of x */
    int64_t *start; /* with an index (U + 1) and */
    int32_t *list;  /* (N) the positions of each row of x, and */
    int32_t *slot;  /* (N) their slots */
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
                   run->layer->u[direction]->value + (i * gates + run->def->recurrent_gate[g]) * h,
                   (size_t)h * sizeof(real));
    return panel_pack(ut, scratch, u, true, gates * h, h);
}

/* The positions of each row of x, ascending: a counting sort. */
static Status invert_index(const RnnRun *run, Arena *scratch, Work *w)
{
    TRY_NEW(w->start, scratch, run->rows + 2);
    TRY_NEW(w->list, scratch, run->positions);
    TRY_NEW(w->slot, scratch, run->positions);
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
    int64_t sequences = 0, positions = CHUNK_ROWS;
    for (int i = 0; i < run->n_blocks; i++) {
        const RnnBlock *b = &run->block[i];
        sequences = b->n > sequences ? b->n : sequences;
        positions = !run->index && b->positions > positions ? b->positions : positions;
    }
    for (int d = 0; d < run->directions; d++) {
        TRY(pack_recurrent(run, scratch, d, &w->ut[d]));
        TRY_NEW(w->du[d], scratch, h * gates * h);
        TRY_NEW(w->sums[d], scratch, run->def->columns * h);
    }
    if (g->x) TRY(panel_pack(&w->wt, scratch, run->w, true, run->inputs, run->layer->input));
    TRY_NEW(w->dw, scratch, run->layer->input * run->inputs);
    TRY_NEW(w->carry, scratch, sequences * h);
    TRY_NEW(w->cell, scratch, sequences * h);
    TRY_NEW(w->product, scratch, PANEL_ROWS_MAX * h);
    TRY_NEW(w->d_rows, scratch, positions * run->inputs);
    return run->index ? invert_index(run, scratch, w) : OK;
}

/* d_carry += mask * (dA' U^T) */
static void carry_back(const RnnRun *run, const StepRows *s, const Work *w, int direction)
{
    const int64_t h = run->h, width = run->def->columns * h;
    const real *from = s->record + run->def->recurrent * h;
    const Kernels *k = kernels();
    if (!run->mask[direction]) {
        k->panel_gemm(s->rows, from, width, &w->ut[direction], 1, NULL, s->d_carry, h);
        return;
    }
    k->panel_gemm(s->rows, from, width, &w->ut[direction], 0, NULL, w->product, h);
    for (int i = 0; i < s->rows; i++) k->multiply(h, w->product + i * h, s->mask[i], w->product + i * h);
    k->add(s->rows * h, w->product, s->d_carry);
}

static void step(const RnnRun *run, const StepRows *s, const Work *w, int direction)
{
    const Kernels *k = kernels();
    if (run->def->gates == 3)
        k->gru_backward(s);
    else if (run->def->gates == 4)
        k->lstm_backward(s);
    else
        k->rnn_backward(s);
    if (!s->first) carry_back(run, s, w, direction);
}

/* Gradients that come to the last cells from outside. */
static void start_cells(const RnnRun *run, const RnnBlock *b, const Work *w, int direction)
{
    const int64_t h = run->h;
    memset(w->cell, 0, (size_t)(b->n * h) * sizeof(real));
    for (int64_t i = 0; run->d_cell && i < b->n; i++)
        memcpy(w->cell + i * h, run->d_cell + (b->order[i] * run->directions + direction) * h,
               (size_t)h * sizeof(real));
}

static void run_block(const RnnRun *run, const RnnBlock *b, const real *d_states, const Work *w, int direction)
{
    const int64_t h = run->h;
    memset(w->carry, 0, (size_t)(b->n * h) * sizeof(real));
    start_cells(run, b, w, direction);
    StepRows s;
    for (int64_t t = b->steps - 1; t >= 0; t--)
        for (int64_t first = 0; first < b->start[t + 1] - b->start[t]; first += s.rows) {
            rnn_step_rows(run, b, direction, t, first, &s);
            s.d_carry = w->carry + first * h;
            s.d_cell = w->cell + first * h;
            for (int i = 0; i < s.rows; i++) s.d_state[i] = d_states + (s.state[i] - run->states);
            step(run, &s, w, direction);
        }
}

static void recurrent_gradients(const RnnRun *run, const RnnBlock *b, const Work *w, int direction)
{
    const int64_t h = run->h, gates = run->def->gates * h, width = run->def->columns * h;
    const real *record = run->record[direction] + b->position * width;
    kernels()->column_sums(b->positions, width, record, width, w->sums[direction]);
    blas_gemm(true, false, h, gates, b->positions, 1, run->before[direction] + b->position * h, h,
              record + run->def->recurrent * h, width, 1, w->du[direction], gates);
}

/* rows of x from `first` on, the gradients of their projections in d_rows */
static void input_gradients(const RnnRun *run, int64_t first, int64_t rows, const real *x, const Work *w, real *dx)
{
    const int64_t input = run->layer->input;
    blas_gemm(true, false, input, run->inputs, rows, 1, x + first * input, input, w->d_rows, run->inputs, 1, w->dw,
              run->inputs);
    if (dx) panel_gemm(rows, w->d_rows, run->inputs, &w->wt, 1, dx + first * input, input);
}

static void block_input_gradients(const RnnRun *run, const RnnBlock *b, const real *x, const Work *w, real *dx)
{
    const int64_t h = run->h, gates = run->def->gates * h, width = run->def->columns * h;
    for (int d = 0; d < run->directions; d++)
        kernels()->gather(b->positions, gates, run->record[d] + run->def->input * h, width, run->slot[d] + b->position,
                          w->d_rows + d * gates, run->inputs);
    input_gradients(run, b->position, b->positions, x, w, dx);
}

static void indexed_input_gradients(const RnnRun *run, const real *x, const Work *w, real *dx)
{
    const int64_t h = run->h, gates = run->def->gates * h, width = run->def->columns * h;
    for (int64_t first = 0; first < run->rows; first += CHUNK_ROWS) {
        const int64_t rows = run->rows - first < CHUNK_ROWS ? run->rows - first : CHUNK_ROWS;
        for (int d = 0; d < run->directions; d++) {
            for (int64_t i = w->start[first]; i < w->start[first + rows]; i++) w->slot[i] = run->slot[d][w->list[i]];
            kernels()->gather_sum(rows, gates, run->record[d] + run->def->input * h, width, w->start + first, w->slot,
                                  w->d_rows + d * gates, run->inputs);
        }
        input_gradients(run, first, rows, x, w, dx);
    }
}

/* (rows, G * H) to += from; with a gate order: from has its columns in that order */
static void add_columns(const RnnRun *run, int64_t rows, const real *from, int64_t ld, const int *gate, real *to)
{
    const int gates = run->def->gates;
    for (int64_t i = 0; to && i < rows; i++)
        for (int g = 0; g < gates; g++)
            kernels()->add(run->h, from + i * ld + g * run->h, to + (i * gates + (gate ? gate[g] : g)) * run->h);
}

static void add_to_parameters(const RnnRun *run, const Work *w, const RnnGradients *g)
{
    const RnnCellDef *def = run->def;
    const int64_t h = run->h, gates = def->gates * h;
    for (int d = 0; d < run->directions; d++) {
        add_columns(run, run->layer->input, w->dw + d * gates, run->inputs, NULL, g->w[d]);
        add_columns(run, h, w->du[d], gates, def->recurrent_gate, g->u[d]);
        add_columns(run, 1, w->sums[d] + def->input * h, gates, NULL, g->b[d]);
        if (g->b[d] && def->recurrent_bias >= 0)
            kernels()->add(h, w->sums[d] + def->recurrent_bias * h, g->b[d] + gates);
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
        for (int d = 0; d < run->directions; d++) {
            run_block(run, b, d_states, &w, d);
            recurrent_gradients(run, b, &w, d);
        }
        if (!run->index) block_input_gradients(run, b, x, &w, g->x);
    }
    if (run->index) indexed_input_gradients(run, x, &w, g->x);
    add_to_parameters(run, &w, g);
    return OK;
}
