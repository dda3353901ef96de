/* recurrent_run.h - a recurrent decoder over one batch, as forward leaves it for backward. Only for
 * trainer/generate/decoder/recurrent*.c.
 *
 * What the steps leave lies in slots: step after step, in each the sequences that are still there, longest first. So
 * the rows of a step are neighbours, and sequence i of a step is row i of each step before. */
#ifndef TRAINER_GENERATE_DECODER_RECURRENT_RUN_H
#define TRAINER_GENERATE_DECODER_RECURRENT_RUN_H
#include "trainer/generate/decoder/recurrent.h"

typedef struct RecurrentCell {
    int64_t input; /* columns of what comes from below */
    int64_t extra; /* columns that enter beside it: a context or the result before; 0: none */
    CellParams of; /* W (input + extra, G H) */
} RecurrentCell;

typedef struct Recurrent {
    RecurrentSettings settings; /* with what is taken from the encoder */
    RecurrentApply apply;
    bool results_before; /* apply between: s_{t-1} is in the result of step t, not s_t */
    bool feeds;          /* apply after: the result of a step enters the next one */
    Cell kind;
    int64_t input;       /* E */
    RecurrentCell *cell; /* (layers) */
    Attend *attend;      /* NULL with apply none */
    int64_t context;     /* C, width of a context; 0 with apply none */
    Param *combine;      /* W_c (C + H, H) with apply after */
    Param *baseline;     /* (1) of a selection that learns from rewards; NULL otherwise */
    Bridge bridge;
} Recurrent;

int64_t
recurrent_width(const Recurrent *d); /* of a row of the result: s_t; [s_t ; c_t] with between, or [s_{t-1} ; c_t];
                                        * s~_t with after */

typedef struct RecurrentRows {
    int64_t step, rows, slot;
    int64_t slot_before;          /* of row 0 in the step before; -1: what was there before the first step */
    int64_t next_slot, next_rows; /* of the step after */
} RecurrentRows;

/* --- One layer, a step at a time (recurrent_cell.c). --- */
typedef struct RecurrentCellRun {
    const RecurrentCell *cell;
    const Cell *kind;
    int64_t h;
    Panel w, extra, u[CELL_PANELS]; /* forward: W's rows of the input, of what enters beside it; U */
    real *bias;                     /* (G H) */
    real *record;                   /* (slots, columns * H) */
    real *before;                   /* (slots, H) masked state before */
    real *state;                    /* (slots, H) new states, ld_state apart */
    real *first_state;              /* (n,H) before the first step, in the order of its rows */
    real *first_record; /* (n, columns * H): of a cell with a second state, that before the first step in its column */
    real *mask;         /* (n,H) in the order of the rows, or NULL */
    const real **input; /* (n) projections of the input of a step */
    real *projected;    /* (n, G H) where they lie unless elsewhere */
    const real *x;      /* (slots, input) input of the layers above the first, ld_x apart */
    real *dropped;      /* (slots, input) x where some units are dropped; NULL: none are */
    uint8_t *stays;     /* (slots, input) which are not */
    Panel w_back, extra_back, u_back[CELL_PANELS];
    real *carry, *d_second; /* (n,H) gradients of state and second state from the step after */
    real *product;          /* (PANEL_ROWS_MAX, H) */
    int64_t ld_state, ld_x;
} RecurrentCellRun;

NODISCARD Status recurrent_cell_build(RecurrentCell *c, Params *ps, const char *path, const Cell *kind, int64_t h);
/* Memory for slots and n rows; state: where the new states go, NULL: own memory. */
NODISCARD Status recurrent_cell_open(RecurrentCellRun *r, Arena *arena, int64_t slots, int64_t n, real *state,
                                     int64_t ld_state);
NODISCARD Status recurrent_cell_pack(RecurrentCellRun *r, Arena *scratch);
/* input[] is there. */
void recurrent_cell_forward(const RecurrentCellRun *r, const RecurrentRows *s);

NODISCARD Status recurrent_cell_pack_back(RecurrentCellRun *r, Arena *scratch, int64_t n);
/* d_state (rows,H), ld apart: what came to the new states from outside this layer's next step. Leaves the gradients of
 * the gates in the records. */
void recurrent_cell_backward(const RecurrentCellRun *r, const RecurrentRows *s, const real *d_state, int64_t ld);
/* Gradients of the gates' input, by slot. */
const real *recurrent_cell_gates(const RecurrentCellRun *r, int64_t slot, int64_t *ld);
/* After the last step back: gradients of U and b, and of W's rows first .. first + n - 1 from their inputs x (slots,n).
 */
NODISCARD Status recurrent_cell_gradients(const RecurrentCellRun *r, Arena *scratch, int64_t slots);
void recurrent_cell_input_gradients(const RecurrentCellRun *r, int64_t slots, const real *x, int64_t ldx, int64_t first,
                                    int64_t n);

/* --- All layers. --- */
typedef struct RecurrentRun {
    const Recurrent *decoder;
    const RnnLast *begin; /* (layers) before the first step */
    Segments seq, keys;
    int64_t n, slots, steps;
    int32_t *order;    /* (n) sequences, longest first: rows of each step */
    int64_t *start;    /* (steps + 1) first slot of each step */
    int32_t *position; /* (slots) */
    int32_t *slot;     /* (positions) */
    const uint64_t *row_key;
    const int32_t *sentence; /* (rows) sequence of each row of a step */
    RecurrentCellRun *cell;  /* (layers) */
    int64_t rows;            /* U, of x */
    const int32_t *index;    /* (positions) into them; NULL: identity */
    RandomKey *drop;         /* (layers) of the dropout of each layer's input; NULL: none */
    uint32_t drop_threshold;
    real drop_scale;
    AttendRun *attend;
    const int32_t *wanted; /* (positions) as in decoder.h */
    real **coverage;       /* (rows of a step) as in attend.h, or NULL */
    const real *loss;      /* (positions) as decoder_reward got it, or NULL */
    Panel combine, combine_back;
    real *context; /* (slots, C) ld_context apart: in `both` with apply after */
    int64_t ld_context;
    real *both;     /* (slots, C + H) apply after: contexts, new states */
    real *out;      /* (slots, H) apply after: s~ */
    real *feed;     /* (slots, H) input feeding: s~ of the step before */
    real d_penalty; /* d loss / d penalty */
    bool spent;     /* backward has overwritten the records */
} RecurrentRun;

RecurrentRows recurrent_rows(const RecurrentRun *r, int64_t step);
/* What the attention of a step gets: the query is the last layer's state, the new one with apply after, otherwise that
 * before the step. */
AttendBlock recurrent_attend_step(const RecurrentRun *r, const RecurrentRows *s);

void recurrent_backward(Tape *t, Node *y); /* of the node of a pass */

#endif
