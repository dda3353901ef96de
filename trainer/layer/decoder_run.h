/* decoder_run.h - a decoder over one batch, as forward leaves it for backward. Only for trainer/layer/decoder*.c. */
#ifndef TRAINER_LAYER_DECODER_RUN_H
#define TRAINER_LAYER_DECODER_RUN_H
#include "trainer/layer/decoder_cell.h"

typedef struct DecoderRun {
    const Decoder *decoder;
    Segments seq, keys;
    int64_t n, slots, steps;
    int32_t *order;    /* (n) sequences, longest first: rows of each step */
    int64_t *start;    /* (steps + 1) first slot of each step */
    int32_t *position; /* (slots) */
    int32_t *slot;     /* (positions) */
    const uint64_t *row_key;
    const int32_t *sentence; /* (rows) sequence of each row of a step */
    DecoderCellRun *cell;    /* (layers) */
    int64_t rows;            /* U, of x */
    const int32_t *index;    /* (positions) into them; NULL: identity */
    real *projected;         /* (U, G H) input projections of the first layer */
    RandomKey *drop;         /* (layers) of the dropout of each layer's input; NULL: none */
    uint32_t drop_threshold;
    real drop_scale;
    AttendRun *attend;
    real **coverage;  /* (rows of a step) as in attend.h, or NULL */
    const real *loss; /* (positions) and */
    Param *baseline;  /* as decoder_reward got them, or NULL */
    double temperature;
    Panel combine, combine_back;
    real *context; /* (slots, C) ld_context apart: in `both` with apply after */
    int64_t ld_context;
    real *both;     /* (slots, C + H) apply after: contexts, new states */
    real *out;      /* (slots, H) apply after: s~ */
    real *feed;     /* (slots, H) input feeding: s~ of the step before */
    real d_penalty; /* d loss / d penalty */
    bool spent;     /* backward has overwritten the records */
    const DecoderStart *begin;
} DecoderRun;

/* Order, start, position and slot. */
NODISCARD Status decoder_run_plan(DecoderRun *r, Arena *arena);
/* Memory for that many slots, and rows of a step. */
NODISCARD Status decoder_run_open(DecoderRun *r, Arena *arena, int64_t slots, int64_t rows);
NODISCARD Status decoder_run_pack(DecoderRun *r, Arena *scratch);
/* x (n, E) -> y (n, G H): what the first layer gets of its input */
void decoder_run_project(const DecoderRun *r, int64_t n, const real *x, real *y);
DecoderRows decoder_run_rows(const DecoderRun *r, int64_t step);
/* One step; projection (rows): input projections of the first layer. */
void decoder_run_step(const DecoderRun *r, const DecoderRows *s, const real *const *projection);
/* Where a step looks (decoder_attend.c). */
NODISCARD Status decoder_attend_open(DecoderRun *r, Tape *t, const Node *states, bool train, bool backward);
void decoder_attend_forward(const DecoderRun *r, const DecoderRows *s);
NODISCARD Status decoder_attend_begin_backward(DecoderRun *r, Arena *scratch);
/* d_context (rows, C), ld_context apart; adds to d_query (rows,H), ld_query apart. */
void decoder_attend_backward(const DecoderRun *r, const DecoderRows *s, const real *d_context, int64_t ld_context,
                             real *d_query, int64_t ld_query);

/* The result of a slot: *state (H) and *context (C, or NULL when it is no part of the result). */
void decoder_run_result(const DecoderRun *r, int64_t slot, const real **state, const real **context);

/* d_y (positions, width). x and dx (U,E), dx NULL: not wanted. Adds to the gradients of the parameters, of dx, of
 * d_state[l] and d_cell[l] (n,H) of what was there before (NULL: not wanted) and of d_keys. */
typedef struct DecoderGradients {
    const real *x;
    real *dx, *d_keys;
    real *const *d_state, *const *d_cell;
} DecoderGradients;
NODISCARD Status decoder_run_backward(DecoderRun *r, Arena *scratch, const real *d_y, const DecoderGradients *g);

#endif
