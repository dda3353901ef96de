/* rnn.c - recurrent layers: which sequences go together, the steps forward and back, the states after the last one, and
 * the nodes on the tape.
 *
 * States are in the order of the positions. What the steps work on lies in slots: block after block, in each the steps
 * in the order in which a direction takes them, in each step the sequences that are still there, longest first. So the
 * rows of a step are neighbours, and those of the next step follow. */
#include "trainer/layer/rnn.h"

#include <stdio.h>
#include <string.h>

#include "trainer/core/blas.h"
#include "trainer/op/op.h"

enum { BLOCK_SEQUENCES = 32, BLOCK_POSITIONS = 512 }; /* a block has at least both; its records should fit into L2 */
enum { LARGE_H = 256 };     /* from here on U is larger than L2: as many sequences a step as a kernel takes, and even */
enum { CHUNK_ROWS = 1024 }; /* rows of x whose gradients are summed and used at once */

/* Consecutive sequences whose records stay in the cache. */
typedef struct RnnBlock {
    int64_t n;         /* sequences */
    int64_t position;  /* the first of its positions, and of its slots */
    int64_t positions; /* in all */
    int64_t steps;     /* length of the longest */
    int32_t *order;    /* (n) sequences, longest first */
    int64_t *start;    /* (steps + 1) first slot of each step: start[t + 1] - start[t] sequences are longer than t */
} RnnBlock;

typedef struct RnnRun {
    Cell cell;
    const RnnLayer *layer;
    const int32_t *index; /* NULL: identity */
    Segments seq;
    int64_t positions; /* N */
    int64_t rows;      /* U */
    int64_t h;
    int directions;
    bool reversed;
    int64_t inputs; /* directions * G * H: columns of the input projection */
    int n_blocks;
    RnnBlock *block;
    real *states;         /* (N, directions * H) by position */
    real *w;              /* (input, inputs) W of both directions side by side */
    real *record[2];      /* (N, columns * H) by slot */
    real *before[2];      /* (N, H) by slot: masked states before */
    int32_t *slot[2];     /* (N) of each position */
    real *mask[2];        /* (n, H) or NULL */
    real *zeros;          /* (H) */
    const real *d_second; /* (n, directions * H) gradient of the second states after the last steps, or NULL */
    bool spent;           /* backward has overwritten the records */
} RnnRun;

typedef struct RnnGradients { /* NULL: not wanted; w, u, b of each direction */
    real *x, *w[2], *u[2], *b[2];
} RnnGradients;

/* --- Which sequences go together, and where the rows of a step lie. --- */

/* Does that direction go from the last position to the first? */
static bool backwards(const RnnRun *run, int direction) { return direction || run->reversed; }

static int64_t length(const RnnRun *run, int64_t sequence)
{
    return run->seq.offset[sequence + 1] - run->seq.offset[sequence];
}

/* The position that sequence i of the block's order has at step t. */
static int64_t position_of(const RnnRun *run, const RnnBlock *b, int direction, int64_t t, int64_t i)
{
    const int64_t *offset = run->seq.offset + b->order[i];
    return backwards(run, direction) ? offset[1] - 1 - t : offset[0] + t;
}

/* Longest first, equal ones in their own order: a counting sort by length. Sequences of that length and longer are
 * those that are there at a step. */
static Status sort_block(const RnnRun *run, RnnBlock *b, int64_t first, Arena *arena)
{
    TRY_NEW(b->order, arena, b->n);
    TRY_NEW(b->start, arena, b->steps + 1);
    int64_t *end; /* end[l]: first place of sequences shorter than l */
    TRY_NEW(end, arena, b->steps + 2);
    for (int64_t i = 0; i < b->n; i++) end[length(run, first + i)]++;
    for (int64_t l = b->steps; l > 0; l--) end[l - 1] += end[l];
    b->start[0] = b->position;
    for (int64_t t = 0; t < b->steps; t++) b->start[t + 1] = b->start[t] + end[t + 1];
    for (int64_t i = b->n - 1; i >= 0; i--) b->order[--end[length(run, first + i)]] = (int32_t)(first + i);
    return OK;
}

static void place(RnnRun *run, const RnnBlock *b)
{
    for (int d = 0; d < run->directions; d++)
        for (int64_t t = 0; t < b->steps; t++)
            for (int64_t i = 0; i < b->start[t + 1] - b->start[t]; i++)
                run->slot[d][position_of(run, b, d, t, i)] = (int32_t)(b->start[t] + i);
}

static int64_t block_sequences(const RnnRun *run)
{
    const int64_t n = run->seq.n, blocks = (n + PANEL_ROWS_MAX - 1) / PANEL_ROWS_MAX;
    return run->h < LARGE_H || n < BLOCK_SEQUENCES ? BLOCK_SEQUENCES : (n + blocks - 1) / blocks;
}

/* Blocks, each sorted by length, and the slots. */
static Status make_plan(RnnRun *run, Arena *arena)
{
    const int64_t n = run->seq.n, least = block_sequences(run);
    TRY_NEW(run->block, arena, n / BLOCK_SEQUENCES + 1);
    for (int d = 0; d < run->directions; d++) TRY_NEW(run->slot[d], arena, run->positions);
    for (int64_t first = 0; first < n;) {
        RnnBlock *b = &run->block[run->n_blocks++];
        b->position = run->seq.offset[first];
        for (int64_t i = first; i < n && (b->n < least || b->positions < BLOCK_POSITIONS); i++) {
            b->n++;
            b->positions += length(run, i);
            if (length(run, i) > b->steps) b->steps = length(run, i);
        }
        TRY(sort_block(run, b, first, arena));
        place(run, b);
        first += b->n;
    }
    return OK;
}

/* Of step t of a block: sequences [first, first + s->rows) in its order. */
static void step_rows(const RnnRun *run, const RnnBlock *b, int direction, int64_t t, int64_t first, StepRows *s)
{
    const int64_t h = run->h, wide = run->directions * h, own = direction * h, width = run->cell.def->columns * h;
    const int64_t step = backwards(run, direction) ? -wide : wide;
    const int64_t active = b->start[t + 1] - b->start[t], slot = b->start[t] + first;
    const int64_t later = (t + 1 < b->steps ? b->start[t + 2] - b->start[t + 1] : 0) - first;
    s->h = h;
    s->first = t == 0;
    s->rows = active - first < PANEL_ROWS_MAX ? (int)(active - first) : PANEL_ROWS_MAX;
    s->next_rows = later < 0 ? 0 : later < s->rows ? (int)later : s->rows;
    s->in = run->before[direction] + slot * h;
    s->next = run->before[direction] + (b->start[t + 1] + first) * h;
    s->record = run->record[direction] + slot * width;
    s->record_before = t > 0 ? run->record[direction] + (b->start[t - 1] + first) * width : NULL;
    for (int i = 0; i < s->rows; i++) {
        const int64_t p = position_of(run, b, direction, t, first + i);
        s->state[i] = run->states + p * wide + own;
        s->before[i] = t > 0 ? s->state[i] - step : run->zeros;
        s->mask[i] = run->mask[direction] ? run->mask[direction] + b->order[first + i] * h : NULL;
    }
}

/* --- Forward: the input projections, then the steps of each block of sequences in each direction. --- */

typedef struct Forward {
    Panel w, u[2][CELL_PANELS];
    real *bias;      /* (inputs) */
    real *projected; /* (U, inputs) with an index, otherwise (largest block, inputs) */
} Forward;

/* W and b of both directions side by side. */
static Status arrange(RnnRun *run, Arena *scratch, Forward *w)
{
    const int64_t h = run->h, gates = run->cell.def->gates * h;
    TRY_NEW(w->bias, scratch, run->inputs);
    for (int d = 0; d < run->directions; d++) {
        for (int64_t i = 0; i < run->layer->input; i++)
            memcpy(run->w + i * run->inputs + d * gates, run->layer->of[d].w->value + i * gates,
                   (size_t)gates * sizeof(real));
        cell_bias(&run->cell, run->layer->of[d].b, h, w->bias + d * gates);
    }
    return OK;
}

static int64_t rows_projected_at_once(const RnnRun *run)
{
    int64_t most = 0;
    for (int i = 0; i < run->n_blocks; i++) most = run->block[i].positions > most ? run->block[i].positions : most;
    return run->index ? run->rows : most;
}

static Status prepare_forward(RnnRun *run, Arena *scratch, Forward *w)
{
    TRY(arrange(run, scratch, w));
    TRY(panel_pack(&w->w, scratch, run->w, false, run->layer->input, run->inputs));
    for (int d = 0; d < run->directions; d++)
        TRY(cell_pack(run->cell.def, run->layer->of[d].u, run->h, scratch, w->u[d]));
    w->projected = arena_alloc(scratch, (size_t)(rows_projected_at_once(run) * run->inputs) * sizeof(real));
    return w->projected ? OK : status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
}

static void block_forward(const RnnRun *run, const RnnBlock *b, const Forward *w, int direction)
{
    const real *projected = w->projected + direction * run->cell.def->gates * run->h;
    if (b->positions) /* the states before the first steps */
        memset(run->before[direction] + b->position * run->h, 0,
               (size_t)((b->start[1] - b->start[0]) * run->h) * sizeof(real));
    StepRows s;
    for (int64_t t = 0; t < b->steps; t++)
        for (int64_t first = 0; first < b->start[t + 1] - b->start[t]; first += s.rows) {
            step_rows(run, b, direction, t, first, &s);
            for (int i = 0; i < s.rows; i++) {
                const int64_t p = position_of(run, b, direction, t, first + i);
                s.input[i] = projected + (run->index ? run->index[p] : p - b->position) * run->inputs;
            }
            run->cell.def->forward(&s, w->u[direction], run->layer->of[direction].b->value);
        }
}

/* With an index, each row of x is projected once, however often it is used. */
static Status run_forward(RnnRun *run, Arena *scratch, const real *x)
{
    Forward w;
    TRY(prepare_forward(run, scratch, &w));
    const int64_t input = run->layer->input;
    if (run->index) panel_gemm_bias(run->rows, x, input, &w.w, w.bias, w.projected, run->inputs);
    for (int i = 0; i < run->n_blocks; i++) {
        const RnnBlock *b = &run->block[i];
        if (!run->index)
            panel_gemm_bias(b->positions, x + b->position * input, input, &w.w, w.bias, w.projected, run->inputs);
        for (int d = 0; d < run->directions; d++) block_forward(run, b, &w, d);
    }
    return OK;
}

/* --- Back: the steps of a block back in time, then its share of the weight gradients while it is hot.
 *
 * With dA the gradients of the gates' sums: dW = x^T dA, dx = dA W^T, dU = (states before, masked)^T dA', db = column
 * sums of dA, where dA' are those of the recurrent product (GRU: q instead of n). --- */

typedef struct Backward {
    Panel wt;                 /* W^T (inputs, input) */
    Panel ut[2][CELL_PANELS]; /* U^T (G * H, H), rows in the order of the record */
    real *dw;                 /* (input, inputs) */
    real *du[2];              /* (H, G * H), columns in the order of the record */
    real *sums[2];            /* (columns * H) column sums of the records */
    real *carry;              /* (largest block, H) */
    real *second;             /* (largest block, H) */
    real *product;            /* (PANEL_ROWS_MAX, H) */
    real *d_rows;             /* (CHUNK_ROWS or the largest block, inputs): the gradients by row of x */
    int64_t *start;           /* with an index (U + 1) and */
    int32_t *list;            /* (N) the positions of each row of x, and */
    int32_t *slot;            /* (N) their slots */
} Backward;

/* The positions of each row of x, ascending: a counting sort. */
static Status invert_index(const RnnRun *run, Arena *scratch, Backward *w)
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

static Status prepare_backward(const RnnRun *run, Arena *scratch, const RnnGradients *g, Backward *w)
{
    *w = (Backward){0};
    const int64_t h = run->h, gates = run->cell.def->gates;
    int64_t sequences = 0, positions = CHUNK_ROWS;
    for (int i = 0; i < run->n_blocks; i++) {
        const RnnBlock *b = &run->block[i];
        sequences = b->n > sequences ? b->n : sequences;
        positions = !run->index && b->positions > positions ? b->positions : positions;
    }
    for (int d = 0; d < run->directions; d++) {
        TRY(cell_pack_back(run->cell.def, run->layer->of[d].u, h, scratch, w->ut[d]));
        TRY_NEW(w->du[d], scratch, h * gates * h);
        TRY_NEW(w->sums[d], scratch, run->cell.def->columns * h);
    }
    if (g->x) TRY(panel_pack(&w->wt, scratch, run->w, true, run->inputs, run->layer->input));
    TRY_NEW(w->dw, scratch, run->layer->input * run->inputs);
    TRY_NEW(w->carry, scratch, sequences * h);
    TRY_NEW(w->second, scratch, sequences * h);
    TRY_NEW(w->product, scratch, PANEL_ROWS_MAX * h);
    TRY_NEW(w->d_rows, scratch, positions * run->inputs);
    return run->index ? invert_index(run, scratch, w) : OK;
}

/* Gradients that come to the last second states from outside. */
static void start_seconds(const RnnRun *run, const RnnBlock *b, const Backward *w, int direction)
{
    const int64_t h = run->h;
    memset(w->second, 0, (size_t)(b->n * h) * sizeof(real));
    for (int64_t i = 0; run->d_second && i < b->n; i++)
        memcpy(w->second + i * h, run->d_second + (b->order[i] * run->directions + direction) * h,
               (size_t)h * sizeof(real));
}

static void block_backward(const RnnRun *run, const RnnBlock *b, const real *d_states, const Backward *w, int direction)
{
    const int64_t h = run->h;
    memset(w->carry, 0, (size_t)(b->n * h) * sizeof(real));
    start_seconds(run, b, w, direction);
    StepRows s;
    for (int64_t t = b->steps - 1; t >= 0; t--)
        for (int64_t first = 0; first < b->start[t + 1] - b->start[t]; first += s.rows) {
            step_rows(run, b, direction, t, first, &s);
            s.d_carry = w->carry + first * h;
            s.d_cell = w->second + first * h;
            for (int i = 0; i < s.rows; i++) s.d_state[i] = d_states + (s.state[i] - run->states);
            run->cell.def->backward(&s);
            if (!s.first) cell_carry(run->cell.def, &s, w->ut[direction], w->product);
        }
}

static void recurrent_gradients(const RnnRun *run, const RnnBlock *b, const Backward *w, int direction)
{
    const int64_t h = run->h, width = run->cell.def->columns * h;
    const real *record = run->record[direction] + b->position * width;
    kernels()->column_sums(b->positions, width, record, width, w->sums[direction]);
    cell_recurrent_gradients(run->cell.def, b->positions, h, run->before[direction] + b->position * h, record, NULL,
                             w->du[direction]);
}

/* rows of x from `first` on, the gradients of their projections in d_rows */
static void input_gradients(const RnnRun *run, int64_t first, int64_t rows, const real *x, const Backward *w, real *dx)
{
    const int64_t input = run->layer->input;
    blas_gemm(true, false, input, run->inputs, rows, 1, x + first * input, input, w->d_rows, run->inputs, 1, w->dw,
              run->inputs);
    if (dx) panel_gemm(rows, w->d_rows, run->inputs, &w->wt, 1, dx + first * input, input);
}

static void block_input_gradients(const RnnRun *run, const RnnBlock *b, const real *x, const Backward *w, real *dx)
{
    const int64_t h = run->h, gates = run->cell.def->gates * h, width = run->cell.def->columns * h;
    for (int d = 0; d < run->directions; d++)
        kernels()->gather(b->positions, gates, run->record[d] + run->cell.def->input * h, width,
                          run->slot[d] + b->position, w->d_rows + d * gates, run->inputs);
    input_gradients(run, b->position, b->positions, x, w, dx);
}

static void indexed_input_gradients(const RnnRun *run, const real *x, const Backward *w, real *dx)
{
    const int64_t h = run->h, gates = run->cell.def->gates * h, width = run->cell.def->columns * h;
    for (int64_t first = 0; first < run->rows; first += CHUNK_ROWS) {
        const int64_t rows = run->rows - first < CHUNK_ROWS ? run->rows - first : CHUNK_ROWS;
        for (int d = 0; d < run->directions; d++) {
            for (int64_t i = w->start[first]; i < w->start[first + rows]; i++) w->slot[i] = run->slot[d][w->list[i]];
            kernels()->gather_sum(rows, gates, run->record[d] + run->cell.def->input * h, width, w->start + first,
                                  w->slot, w->d_rows + d * gates, run->inputs);
        }
        input_gradients(run, first, rows, x, w, dx);
    }
}

/* (rows, G * H) to += from; with a gate order: from has its columns in that order */
static void add_columns(const RnnRun *run, int64_t rows, const real *from, int64_t ld, const int *gate, real *to)
{
    const int gates = run->cell.def->gates;
    for (int64_t i = 0; to && i < rows; i++)
        for (int g = 0; g < gates; g++)
            kernels()->add(run->h, from + i * ld + g * run->h, to + (i * gates + (gate ? gate[g] : g)) * run->h);
}

static void add_to_parameters(const RnnRun *run, const Backward *w, const RnnGradients *g)
{
    const CellDef *def = run->cell.def;
    const int64_t h = run->h, gates = def->gates * h;
    for (int d = 0; d < run->directions; d++) {
        add_columns(run, run->layer->input, w->dw + d * gates, run->inputs, NULL, g->w[d]);
        add_columns(run, h, w->du[d], gates, def->recurrent_gate, g->u[d]);
        add_columns(run, 1, w->sums[d] + def->input * h, gates, NULL, g->b[d]);
        if (g->b[d] && def->recurrent_bias >= 0)
            kernels()->add(h, w->sums[d] + def->recurrent_bias * h, g->b[d] + gates);
    }
}

static Status run_backward(RnnRun *run, Arena *scratch, const real *x, const real *d_states, const RnnGradients *g)
{
    REQUIRE(!run->spent, ERR_INTERNAL, "a recurrent layer went back twice over one pass");
    run->spent = true;
    Backward w;
    TRY(prepare_backward(run, scratch, g, &w));
    for (int i = 0; i < run->n_blocks; i++) {
        const RnnBlock *b = &run->block[i];
        for (int d = 0; d < run->directions; d++) {
            block_backward(run, b, d_states, &w, d);
            recurrent_gradients(run, b, &w, d);
        }
        if (!run->index) block_input_gradients(run, b, x, &w, g->x);
    }
    if (run->index) indexed_input_gradients(run, x, &w, g->x);
    add_to_parameters(run, &w, g);
    return OK;
}

/* --- States and second states after the last step of each sequence, as nodes of their own. --- */

/* The position at which direction d ends; -1 for a sequence without positions. */
static int64_t last_position(const RnnRun *run, int64_t sequence, int d)
{
    const int64_t *offset = run->seq.offset + sequence;
    if (offset[0] == offset[1]) return -1;
    return backwards(run, d) ? offset[0] : offset[1] - 1;
}

/* The node with what the last steps left of H numbers in each direction; value(run, position, direction) finds them. */
static Node *last_of(Tape *t, const OpDef *def, Node *states, RnnRun *run,
                     const real *(*value)(const RnnRun *, int64_t, int))
{
    bool ok;
    Node *y = tape_node(t, def, SHAPE2(run ? run->seq.n : 0, states->shape.d[1]), 1, &states, &ok);
    if (!ok) return y;
    y->data = run;
    for (int64_t i = 0; i < run->seq.n; i++)
        for (int d = 0; d < run->directions; d++) {
            const int64_t p = last_position(run, i, d);
            const real *from = p < 0 ? run->zeros : value(run, p, d);
            memcpy(y->value + (i * run->directions + d) * run->h, from, (size_t)run->h * sizeof *from);
        }
    return y;
}

static const real *state_at(const RnnRun *run, int64_t position, int d)
{
    return run->states + (position * run->directions + d) * run->h;
}

static const real *second_at(const RnnRun *run, int64_t position, int d)
{
    return run->record[d] + run->slot[d][position] * run->cell.def->columns * run->h + run->cell.def->second * run->h;
}

static void state_backward(Tape *t, Node *y)
{
    const RnnRun *run = y->data;
    real *dx = node_grad(t, y->in[0]);
    for (int64_t i = 0; dx && i < run->seq.n; i++)
        for (int d = 0; d < run->directions; d++) {
            const int64_t p = last_position(run, i, d);
            if (p >= 0)
                kernels()->add(run->h, y->grad + (i * run->directions + d) * run->h,
                               dx + (p * run->directions + d) * run->h);
        }
}

/* The layer's backward takes it from there. */
static void second_backward(Tape *t, Node *y)
{
    (void)t;
    RnnRun *run = y->data;
    run->d_second = y->grad;
    y->in[0]->owes = true;
}

static const OpDef state_def = {"rnn_last", state_backward}, second_def = {"rnn_last_second", second_backward};

/* --- Parameters, and the nodes of the layers. --- */

static Status declare_direction(RnnLayer *l, Params *ps, const char *path, const RnnSettings *s, int d)
{
    const char *own = arena_format(ps->arena, "%s/%s", path, d ? "backward" : "forward");
    if (!own) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    return cell_declare(s->cell.def, &l->of[d], ps, own, l->input, s->hidden);
}

Status rnn_declare(Rnn *r, Params *ps, const char *path, RnnSettings s, int64_t input)
{
    REQUIRE(s.hidden >= 1 && s.layers >= 1 && input >= 1, ERR_INTERNAL,
            "%s: %lld units in %lld layers over %lld inputs", path, (long long)s.hidden, (long long)s.layers,
            (long long)input);
    *r = (Rnn){.settings = s};
    TRY_NEW(r->layer, ps->arena, s.layers);
    for (int64_t i = 0; i < s.layers; i++) {
        r->layer[i].input = i == 0 ? input : s.hidden * (s.bidirectional ? 2 : 1);
        char own[512];
        snprintf(own, sizeof own, s.layers > 1 ? "%s/layer%lld" : "%s", path, (long long)i + 1);
        for (int d = 0; d < (s.bidirectional ? 2 : 1); d++) TRY(declare_direction(&r->layer[i], ps, own, &s, d));
    }
    return OK;
}

static void layer_backward(Tape *t, Node *y)
{
    RnnRun *run = y->data;
    RnnGradients g = {.x = node_grad(t, y->in[0])};
    const real *d_states = node_grad(t, y); /* 0 when a gradient came to the last cells alone */
    for (int d = 0; d < run->directions; d++) {
        g.w[d] = node_grad(t, y->in[1 + 3 * d]);
        g.u[d] = node_grad(t, y->in[2 + 3 * d]);
        g.b[d] = node_grad(t, y->in[3 + 3 * d]);
    }
    if (t->status != OK) return;
    const ArenaMark mark = arena_mark(t->arena);
    const Status st = run_backward(run, t->arena, y->in[0]->value, d_states, &g);
    arena_release(t->arena, mark);
    if (st != OK) tape_fail(t, st);
}

static const OpDef layer_def = {"rnn", layer_backward};

/* Inverted dropout, one mask a sequence. */
static Status draw_masks(RnnRun *run, Tape *t, double p, const uint64_t *row_key)
{
    const real keep = (real)(1 / (1 - p));
    for (int d = 0; d < run->directions; d++) {
        const RandomKey key = tape_random(t, RANDOM_DROPOUT);
        TRY_NEW(run->mask[d], t->arena, run->seq.n * run->h);
        for (int64_t i = 0; i < run->seq.n; i++)
            for (int64_t j = 0; j < run->h; j++) {
                uint32_t bits[4];
                random_bits(key, row_key[i], (uint64_t)j, bits);
                run->mask[d][i * run->h + j] = (double)bits[0] * 0x1p-32 < p ? 0 : keep;
            }
    }
    return OK;
}

static Status prepare(RnnRun *run, Tape *t, const Rnn *r, const uint64_t *row_key)
{
    Arena *a = t->arena;
    run->w = arena_alloc(a, (size_t)(run->layer->input * run->inputs) * sizeof(real));
    for (int d = 0; run->w && d < run->directions; d++) {
        run->record[d] = arena_alloc(a, (size_t)(run->positions * run->cell.def->columns * run->h) * sizeof(real));
        run->before[d] = arena_alloc(a, (size_t)(run->positions * run->h) * sizeof(real));
        if (!run->record[d] || !run->before[d]) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    }
    if (!run->w) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    TRY_NEW(run->zeros, a, run->h);
    if (t->train && r->settings.recurrent_dropout > 0) TRY(draw_masks(run, t, r->settings.recurrent_dropout, row_key));
    return make_plan(run, a);
}

static Status layer_run(RnnRun *run, Tape *t, const Rnn *r, const Node *x, const uint64_t *row_key)
{
    TRY(prepare(run, t, r, row_key));
    const ArenaMark mark = arena_mark(t->arena);
    const Status st = run_forward(run, t->arena, x->value);
    arena_release(t->arena, mark);
    return st;
}

static Status check_input(const RnnLayer *l, const Node *x, const int32_t *index, int64_t positions)
{
    REQUIRE(x->shape.n == 2 && x->shape.d[1] == l->input && (index || x->shape.d[0] == positions), ERR_INTERNAL,
            "a recurrent layer of %lld inputs got %lld rows of %lld for %lld positions", (long long)l->input,
            (long long)x->shape.d[0], (long long)x->shape.d[x->shape.n - 1], (long long)positions);
    return OK;
}

/* *out: NULL when the tape has failed. */
static Node *layer_forward(const Rnn *r, const RnnLayer *l, Tape *t, Node *x, const int32_t *index, Segments seq,
                           const uint64_t *row_key, RnnRun **out)
{
    *out = NULL;
    const int directions = r->settings.bidirectional ? 2 : 1;
    const int64_t h = r->settings.hidden, positions = seq.n ? seq.offset[seq.n] : 0;
    if (t->status == OK) tape_fail(t, check_input(l, x, index, positions));
    Node *in[1 + 3 * 2] = {x};
    for (int d = 0; d < directions; d++) {
        in[1 + 3 * d] = tape_param(t, l->of[d].w);
        in[2 + 3 * d] = tape_param(t, l->of[d].u);
        in[3 + 3 * d] = tape_param(t, l->of[d].b);
    }
    bool ok;
    Node *y = tape_node(t, &layer_def, SHAPE2(positions, directions * h), 1 + 3 * directions, in, &ok);
    RnnRun *run = ok ? tape_alloc(t, sizeof *run) : NULL;
    if (!run) return y;
    *run = (RnnRun){.cell = r->settings.cell,
                    .layer = l,
                    .index = index,
                    .seq = seq,
                    .positions = positions,
                    .rows = x->shape.d[0],
                    .h = h,
                    .directions = directions,
                    .reversed = r->settings.reversed && !r->settings.bidirectional,
                    .inputs = directions * r->settings.cell.def->gates * h,
                    .states = y->value};
    y->data = *out = run;
    tape_fail(t, layer_run(run, t, r, x, row_key));
    return y;
}

/* Dropout's keys of the positions of each sequence. A row's key uses its upper bits too: it is spread, not shifted. */
static uint64_t *position_keys(Tape *t, Segments seq, const uint64_t *row_key)
{
    uint64_t *key = tape_alloc(t, (size_t)(seq.n ? seq.offset[seq.n] : 0) * sizeof *key);
    for (int64_t i = 0; key && i < seq.n; i++)
        for (int64_t p = seq.offset[i]; p < seq.offset[i + 1]; p++)
            key[p] = row_key[i] * 0x9e3779b97f4a7c15u + (uint64_t)(p - seq.offset[i]);
    return key;
}

RnnOut rnn_forward(const Rnn *r, Tape *t, Node *x, const int32_t *index, Segments seq, const uint64_t *row_key)
{
    const RnnSettings *s = &r->settings;
    const bool drop = t->train && s->dropout > 0 && s->layers > 1;
    if (t->status == OK && !row_key && t->train && (drop || s->recurrent_dropout > 0))
        tape_fail(t, status_fail(ERR_INTERNAL, __FILE__, __LINE__, __func__, "dropout without keys"));
    const uint64_t *key = drop && t->status == OK ? position_keys(t, seq, row_key) : NULL;
    RnnOut out = {.states = x};
    RnnRun *run = NULL;
    if (s->every_last) out.layer = tape_alloc(t, (size_t)s->layers * sizeof *out.layer);
    for (int64_t i = 0; i < s->layers; i++) {
        if (i > 0 && drop) out.states = op_dropout(t, out.states, s->dropout, key);
        out.states = layer_forward(r, &r->layer[i], t, out.states, i == 0 ? index : NULL, seq, row_key, &run);
        if (!out.layer) continue;
        out.layer[i].state = last_of(t, &state_def, out.states, run, state_at);
        out.layer[i].second = s->cell.def->second < 0 ? NULL : last_of(t, &second_def, out.states, run, second_at);
    }
    out.last = out.layer ? out.layer[s->layers - 1].state : last_of(t, &state_def, out.states, run, state_at);
    return out;
}
