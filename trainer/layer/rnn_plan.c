/* rnn_plan.c - which sequences go together, and where the rows of a step lie. */
#include "trainer/layer/rnn_run.h"

enum { BLOCK_SEQUENCES = 32, BLOCK_POSITIONS = 1024 }; /* a block has at least both, so its records fit into L2 */

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
                 .input = {1, 0},
                 .input_gate = {{0, 1, 2}, {2, 0, 1}},
                 .recurrent = {0, 1},
                 .recurrent_gate = {{2, 0, 1}, {0, 1, 2}},
                 .recurrent_bias = 0,
                 .recurrent_bias_reverse = 3},
    [RNN_LSTM] = {.name = "lstm",
                  .help = "Long short-term memory with forget gate (Gers 2000).",
                  .gates_text = "i f g o",
                  .gates = 4,
                  .columns = 5,
                  .input = {1, 0},
                  .input_gate = {{0, 1, 2, 3}, {0, 1, 2, 3}},
                  .recurrent = {1, 0},
                  .recurrent_gate = {{0, 1, 2, 3}, {0, 1, 2, 3}},
                  .cell = {0, 4},
                  .recurrent_bias = -1},
};

const RnnCellDef *rnn_cell_def(RnnCell cell) { return &cells[cell]; }

static const int n_cells = sizeof cells / sizeof *cells;

const char *rnn_cell_name(int i) { return i >= 0 && i < n_cells ? cells[i].name : NULL; }

const char *rnn_cell_help(int i) { return i >= 0 && i < n_cells ? cells[i].help : NULL; }

int64_t rnn_input_column(const RnnRun *run) { return run->def->input[0] * run->h; }

static int64_t length(const RnnRun *run, int64_t sequence)
{
    return run->seq.offset[sequence + 1] - run->seq.offset[sequence];
}

/* Longest first, equal ones in their own order: a counting sort by length. */
static Status sort_block(const RnnRun *run, RnnBlock *b, int64_t first, Arena *arena)
{
    TRY_NEW(b->order, arena, b->n);
    const ArenaMark mark = arena_mark(arena);
    int64_t *start;
    TRY_NEW(start, arena, b->steps + 2);
    for (int64_t i = 0; i < b->n; i++) start[b->steps - length(run, first + i) + 1]++;
    for (int64_t l = 0; l <= b->steps; l++) start[l + 1] += start[l];
    for (int64_t i = 0; i < b->n; i++) b->order[start[b->steps - length(run, first + i)]++] = (int32_t)(first + i);
    arena_release(arena, mark);
    return OK;
}

Status rnn_plan(RnnRun *run, Arena *arena)
{
    const int64_t n = run->seq.n;
    TRY_NEW(run->block, arena, n / BLOCK_SEQUENCES + 1);
    for (int64_t first = 0; first < n;) {
        RnnBlock *b = &run->block[run->n_blocks++];
        b->position = run->seq.offset[first];
        for (int64_t i = first; i < n && (b->n < BLOCK_SEQUENCES || b->positions < BLOCK_POSITIONS); i++) {
            b->n++;
            b->positions += length(run, i);
            if (length(run, i) > b->steps) b->steps = length(run, i);
        }
        TRY(sort_block(run, b, first, arena));
        first += b->n;
    }
    return OK;
}

int64_t rnn_active(const RnnRun *run, const RnnBlock *b, int64_t t, int64_t at_most)
{
    while (at_most > 0 && length(run, b->order[at_most - 1]) <= t) at_most--;
    return at_most;
}

void rnn_step_rows(const RnnRun *run, const RnnBlock *b, int direction, int64_t t, int64_t first, StepRows *s)
{
    const RnnCellDef *def = run->def;
    const int64_t h = run->h, wide = run->directions * h, step = direction ? -1 : 1;
    const int64_t own = direction * h, record = direction * def->columns * h;
    const int64_t gates = def->cell[0] != def->cell[1] ? def->input[direction] * h : 0; /* LSTM: record is at i */
    for (int i = 0; i < s->rows; i++) {
        const int64_t sequence = b->order[first + i], count = length(run, sequence);
        const int64_t p = run->seq.offset[sequence] + (direction ? count - 1 - t : t);
        real *rec = run->record + p * run->width + record;
        s->in[i] = run->before + p * wide + own;
        s->before[i] = t > 0 ? run->states + (p - step) * wide + own : run->zeros;
        s->record[i] = rec + gates;
        s->state[i] = run->states + p * wide + own;
        s->next[i] = t + 1 < count ? run->before + (p + step) * wide + own : NULL;
        s->mask[i] = run->mask[direction] ? run->mask[direction] + sequence * h : NULL;
        s->cell[i] = rec + def->cell[direction] * h;
        s->cell_before[i] = t > 0 ? s->cell[i] - step * run->width : NULL;
    }
}
