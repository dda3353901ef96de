/* rnn_last.c - states and cells after the last step of each sequence, as nodes of their own. */
#include <string.h>

#include "trainer/layer/rnn_run.h"

/* The position at which direction d ends; -1 for a sequence without positions. */
static int64_t last_position(const RnnRun *run, int64_t sequence, int d)
{
    const int64_t *offset = run->seq.offset + sequence;
    if (offset[0] == offset[1]) return -1;
    return rnn_backwards(run, d) ? offset[0] : offset[1] - 1;
}

/* The node with what the last steps left of H numbers in each direction; value(run, position, direction) finds them. */
static Node *last_of(Tape *t, const OpDef *def, Node *states, const real *(*value)(const RnnRun *, int64_t, int))
{
    RnnRun *run = states->data;
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

static const real *cell_at(const RnnRun *run, int64_t position, int d)
{
    return run->record[d] + run->slot[d][position] * run->def->columns * run->h; /* c is the first column */
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
static void cell_backward(Tape *t, Node *y)
{
    (void)t;
    ((RnnRun *)y->data)->d_cell = y->grad;
    y->in[0]->owes = true;
}

static const OpDef state_def = {"rnn_last", state_backward}, cell_def = {"rnn_last_cell", cell_backward};

Node *rnn_last_state(Tape *t, Node *states) { return last_of(t, &state_def, states, state_at); }

Node *rnn_last_cell(Tape *t, Node *states) { return last_of(t, &cell_def, states, cell_at); }
