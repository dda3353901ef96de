/* rnn_run.h - one layer over one batch, as forward leaves it for backward. Only for trainer/layer/rnn*.c.
 *
 * States are in the order of the positions. What the steps work on lies in slots: block after block, in each the steps
 * in the order in which a direction takes them, in each step the sequences that are still there, longest first. So the
 * rows of a step are neighbours, and those of the next step follow. */
#ifndef TRAINER_LAYER_RNN_RUN_H
#define TRAINER_LAYER_RNN_RUN_H
#include "trainer/core/panel.h"
#include "trainer/layer/rnn.h"

typedef struct RnnCellDef {
    const char *name, *help;
    const char *gates_text; /* for the meaning of parameters */
    int gates;              /* G */
    int columns;            /* of H in a record */
    int input;              /* the first of the G columns with gradients of the input projection */
    int recurrent;          /* the first of the G columns with gradients of the recurrent product */
    int recurrent_gate[4];  /* which gates these are */
    int recurrent_bias;     /* the column with the gradient of the bias of n's recurrent product; -1: none */
} RnnCellDef;

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
    const RnnCellDef *def;
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
    real *states;       /* (N, directions * H) by position */
    real *w;            /* (input, inputs) W of both directions side by side */
    real *record[2];    /* (N, columns * H) by slot */
    real *before[2];    /* (N, H) by slot: masked states before */
    int32_t *slot[2];   /* (N) of each position */
    real *mask[2];      /* (n, H) or NULL */
    real *zeros;        /* (H) */
    const real *d_cell; /* (n, directions * H) gradient of the cells after the last steps, or NULL */
    bool spent;         /* backward has overwritten the records */
} RnnRun;

typedef struct RnnGradients { /* NULL: not wanted; w, u, b of each direction */
    real *x, *w[2], *u[2], *b[2];
} RnnGradients;

const RnnCellDef *rnn_cell_def(RnnCell cell);
/* Blocks, each sorted by length, and the slots. */
NODISCARD Status rnn_plan(RnnRun *run, Arena *arena);
/* Of step t of a block: sequences [first, first + s->rows) in its order. */
void rnn_step_rows(const RnnRun *run, const RnnBlock *b, int direction, int64_t t, int64_t first, StepRows *s);
/* Does that direction go from the last position to the first? */
static inline bool rnn_backwards(const RnnRun *run, int direction) { return direction || run->reversed; }
/* The position that sequence i of the block's order has at step t. */
int64_t rnn_position(const RnnRun *run, const RnnBlock *b, int direction, int64_t t, int64_t i);

/* Of a layer's node, once. */
Node *rnn_last_state(Tape *t, Node *states);
Node *rnn_last_cell(Tape *t, Node *states); /* of an LSTM */

NODISCARD Status rnn_run_forward(RnnRun *run, Arena *scratch, const real *x, double forget_bias);
/* Adds to the gradients. */
NODISCARD Status rnn_run_backward(RnnRun *run, Arena *scratch, const real *x, const real *d_states,
                                  const RnnGradients *g);

#endif
