/* rnn_run.h - one layer over one batch, as forward leaves it for backward. Only for trainer/layer/rnn*.c.
 *
 * All matrices are in the order of the positions. A record of a position holds both directions side by side, each R
 * columns of H, as trainer/core/kernel/ lays them out: the gradients of the input projections of both directions are
 * one run of columns. */
#ifndef TRAINER_LAYER_RNN_RUN_H
#define TRAINER_LAYER_RNN_RUN_H
#include "trainer/core/panel.h"
#include "trainer/layer/rnn.h"

/* Where things are in a record, for each direction (0 forward, 1 backward). */
typedef struct RnnCellDef {
    const char *name, *help;
    const char *gates_text;     /* for the meaning of parameters */
    int gates;                  /* G */
    int columns;                /* R */
    int input[2];               /* first column of the G gates of the input projection */
    int input_gate[2][4];       /* which gates they are */
    int recurrent[2];           /* first column of the G gradients of the recurrent product */
    int recurrent_gate[2][4];   /* which gates they are */
    int cell[2];                /* column of the cell (LSTM) */
    int recurrent_bias;         /* column of the gradient of the bias of n's recurrent product, forward; -1: none */
    int recurrent_bias_reverse; /* the same, backward */
} RnnCellDef;

/* Consecutive sequences whose records stay in the cache. */
typedef struct RnnBlock {
    int64_t n;         /* sequences */
    int64_t position;  /* first */
    int64_t positions; /* in all */
    int64_t steps;     /* length of the longest */
    int32_t *order;    /* (n) sequences, longest first */
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
    int64_t width;  /* of a record */
    int64_t inputs; /* directions * G * H: columns of the input projection */
    int n_blocks;
    RnnBlock *block;
    real *states;  /* (N, directions * H) */
    real *before;  /* (N, directions * H) states before, masked */
    real *record;  /* (N, width) */
    real *w;       /* (input, inputs) W of both directions, columns as in the record */
    real *mask[2]; /* (n, H) or NULL */
    real *zeros;   /* (H) */
    bool spent;    /* backward has overwritten the record */
} RnnRun;

const RnnCellDef *rnn_cell_def(RnnCell cell);
/* The first column of the input projection within a record. */
int64_t rnn_input_column(const RnnRun *run);
/* Blocks of sequences, each sorted by length. */
NODISCARD Status rnn_plan(RnnRun *run, Arena *arena);

/* How many of the block's sequences, in its order, are longer than t. */
int64_t rnn_active(const RnnRun *run, const RnnBlock *b, int64_t t, int64_t at_most);
/* The pointers of step t for rows [first, first + s->rows) of the block's order. */
void rnn_step_rows(const RnnRun *run, const RnnBlock *b, int direction, int64_t t, int64_t first, StepRows *s);

NODISCARD Status rnn_run_forward(RnnRun *run, Arena *scratch, const real *x, double forget_bias);
/* dx NULL: not wanted. Adds to the gradients. w, u, b: one for each direction, NULL: not wanted. */
typedef struct RnnGradients {
    real *x, *w[2], *u[2], *b[2];
} RnnGradients;
NODISCARD Status rnn_run_backward(RnnRun *run, Arena *scratch, const real *x, const real *d_states,
                                  const RnnGradients *g);

#endif
