/* decoder_cell.h - one recurrent layer of a decoder, a step at a time. Only for trainer/layer/decoder*.c.
 *
 * What the steps leave lies in slots: step after step, in each the sequences that are still there, longest first. So
 * the rows of a step are neighbours, and sequence i of a step is row i of each step before. */
#ifndef TRAINER_LAYER_DECODER_CELL_H
#define TRAINER_LAYER_DECODER_CELL_H
#include "trainer/core/panel.h"
#include "trainer/layer/decoder.h"
#include "trainer/layer/rnn_run.h"

typedef struct DecoderRows {
    int64_t step, rows, slot;
    int64_t slot_before;          /* of row 0 in the step before; -1: what was there before the first step */
    int64_t next_slot, next_rows; /* of the step after */
} DecoderRows;

typedef struct DecoderCellRun {
    const DecoderCell *cell;
    const RnnCellDef *def;
    int64_t h;
    Panel w, extra, u;  /* forward: W's rows of the input, of what enters beside it; U */
    real *bias;         /* (G H) */
    real *record;       /* (slots, columns * H) */
    real *before;       /* (slots, H) masked state before */
    real *state;        /* (slots, H) new states, ld_state apart */
    real *first_state;  /* (n,H) before the first step, in the order of its rows */
    real *first_record; /* (n, columns * H): the cell before the first step is the first column; LSTM */
    real *mask;         /* (n,H) in the order of the rows, or NULL */
    const real **input; /* (n) projections of the input of a step */
    real *projected;    /* (n, G H) where they lie unless elsewhere */
    const real *x;      /* (slots, input) input of the layers above the first, ld_x apart */
    uint8_t *stays;     /* (slots, input) dropout of x; NULL: none */
    Panel w_back, extra_back, u_back;
    real *carry, *d_cell; /* (n,H) gradients of state and cell from the step after */
    real *product;        /* (PANEL_ROWS_MAX, H) */
    int64_t ld_state, ld_x;
} DecoderCellRun;

NODISCARD Status decoder_cell_build(DecoderCell *c, Params *ps, const char *path, RnnCell cell, int64_t h);
/* Memory for slots and n rows; state: where the new states go, NULL: own memory. */
NODISCARD Status decoder_cell_open(DecoderCellRun *r, Arena *arena, int64_t slots, int64_t n, real *state,
                                   int64_t ld_state);
NODISCARD Status decoder_cell_pack(DecoderCellRun *r, Arena *scratch, double forget_bias);
/* input[] is there. */
void decoder_cell_forward(const DecoderCellRun *r, const DecoderRows *s);

NODISCARD Status decoder_cell_pack_back(DecoderCellRun *r, Arena *scratch, int64_t n);
/* d_state (rows,H), ld apart: what came to the new states from outside this layer's next step. Leaves the gradients of
 * the gates in the records. */
void decoder_cell_backward(const DecoderCellRun *r, const DecoderRows *s, const real *d_state, int64_t ld);
/* Gradients of the gates' input, by slot. */
const real *decoder_cell_gates(const DecoderCellRun *r, int64_t slot, int64_t *ld);
/* After the last step back: gradients of U and b, and of W's rows first .. first + n - 1 from their inputs x (slots,n).
 */
NODISCARD Status decoder_cell_recurrent_gradients(const DecoderCellRun *r, Arena *scratch, int64_t slots);
void decoder_cell_input_gradients(const DecoderCellRun *r, int64_t slots, const real *x, int64_t ldx, int64_t first,
                                  int64_t n);

#endif
