/* rnn.h - recurrent layers over whole sequences: one node for a layer, all directions and all sequences of a batch.
 *
 * Work follows the real positions, nothing is padded. The states of a sequence are a function of that sequence alone,
 * bit for bit. A direction has the parameters of its cell (cell/cell.h). */
#ifndef TRAINER_LAYER_RNN_H
#define TRAINER_LAYER_RNN_H
#include "trainer/core/tape.h"
#include "trainer/layer/cell/cell.h"

typedef struct RnnSettings {
    Cell cell;
    int64_t hidden; /* H, of each direction */
    int64_t layers; /* 1 or more */
    bool bidirectional;
    bool reversed;            /* of one direction: from the last position to the first */
    bool every_last;          /* RnnOut.layer is wanted */
    double dropout;           /* between layers */
    double recurrent_dropout; /* of the state before it is multiplied by U; one mask a sequence (Gal 2016) */
} RnnSettings;

typedef struct RnnLayer {
    int64_t input;
    CellParams of[2]; /* forward, backward */
} RnnLayer;

typedef struct Rnn {
    RnnSettings settings;
    RnnLayer *layer; /* (settings.layers) */
} Rnn;

/* After the last step of each direction: (n, directions * H), 0 for a sequence without positions. */
typedef struct RnnLast {
    Node *state, *second; /* second: of a cell that has a second state, otherwise NULL */
} RnnLast;

typedef struct RnnOut {
    Node *states;   /* (N, directions * H) of the last layer, in the order of the positions: forward, then backward */
    Node *last;     /* the last state of the last layer, as in RnnLast */
    RnnLast *layer; /* (layers) with settings.every_last */
} RnnOut;

/* Declares the parameters as PATH/forward/W and so on, PATH/layer2/... where there are several. */
NODISCARD Status rnn_declare(Rnn *r, Params *ps, const char *path, RnnSettings s, int64_t input);

/* x (U, input); position p of the N = seq.offset[seq.n] has the input row x[index[p]]; index NULL: x[p], U = N. Each of
 * the U rows is projected once. row_key (seq.n): keys of the random masks, NULL when nothing is dropped. index, seq and
 * row_key are borrowed until the tape ends. */
RnnOut rnn_forward(const Rnn *r, Tape *t, Node *x, const int32_t *index, Segments seq, const uint64_t *row_key);

#endif
