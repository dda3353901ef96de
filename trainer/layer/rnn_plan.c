/* rnn_plan.c - which sequences go together, and where the rows of a step lie. */
#include <string.h>

#include "trainer/layer/rnn_run.h"

enum { BLOCK_SEQUENCES = 32, BLOCK_POSITIONS = 512 }; /* a block has at least both; its records should fit into L2 */
enum { LARGE_H = 256 }; /* from here on U is larger than L2: as many sequences a step as a kernel takes, and even */

static const RnnCellDef cells[] = {
    [RNN_PLAIN] = {.name = "rnn",
                   .help = "Plain recurrent unit (Elman 1990).",
                   .gates_text = "h",
                   .gates = 1,
                   .columns = 1,
                   .recurrent_bias = -1},
    [RNN_GRU] = {.name = "gru",
                 .help = "Gated recurrent unit (Cho 2014).",
                 .gates_text = "r z n",
                 .gates = 3,
                 .columns = 4,
                 .input = 1,
                 .recurrent = 0,
                 .recurrent_gate = {2, 0, 1},
                 .recurrent_bias = 0},
    [RNN_LSTM] = {.name = "lstm",
                  .help = "Long short-term memory with forget gate (Gers 2000).",
                  .gates_text = "i f g o",
                  .gates = 4,
                  .columns = 5,
                  .input = 1,
                  .recurrent = 1,
                  .recurrent_gate = {0, 1, 2, 3},
                  .recurrent_bias = -1},
};

const RnnCellDef *rnn_cell_def(RnnCell cell) { return &cells[cell]; }

static const int n_cells = sizeof cells / sizeof *cells;

const char *rnn_cell_name(int i) { return i >= 0 && i < n_cells ? cells[i].name : NULL; }

const char *rnn_cell_help(int i) { return i >= 0 && i < n_cells ? cells[i].help : NULL; }

static int64_t length(const RnnRun *run, int64_t sequence)
{
    return run->seq.offset[sequence + 1] - run->seq.offset[sequence];
}

int64_t rnn_position(const RnnRun *run, const RnnBlock *b, int direction, int64_t t, int64_t i)
{
    const int64_t *offset = run->seq.offset + b->order[i];
    return rnn_backwards(run, direction) ? offset[1] - 1 - t : offset[0] + t;
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
                run->slot[d][rnn_position(run, b, d, t, i)] = (int32_t)(b->start[t] + i);
}

static int64_t block_sequences(const RnnRun *run)
{
    const int64_t n = run->seq.n, blocks = (n + PANEL_ROWS_MAX - 1) / PANEL_ROWS_MAX;
    return run->h < LARGE_H || n < BLOCK_SEQUENCES ? BLOCK_SEQUENCES : (n + blocks - 1) / blocks;
}

Status rnn_plan(RnnRun *run, Arena *arena)
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

void rnn_step_rows(const RnnRun *run, const RnnBlock *b, int direction, int64_t t, int64_t first, StepRows *s)
{
    const int64_t h = run->h, wide = run->directions * h, own = direction * h, width = run->def->columns * h;
    const int64_t step = rnn_backwards(run, direction) ? -wide : wide;
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
        const int64_t p = rnn_position(run, b, direction, t, first + i);
        s->state[i] = run->states + p * wide + own;
        s->before[i] = t > 0 ? s->state[i] - step : run->zeros;
        s->mask[i] = run->mask[direction] ? run->mask[direction] + b->order[first + i] * h : NULL;
    }
}
