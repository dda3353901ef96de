/* bridge.h - from the last states of an encoder to what a decoder has before its first step, layer by layer.
 *
 *   copy      the state and the cell as they are; of both directions the sum. Sizes must be equal
 *   linear    tanh(W h + b) of the state of all directions, W c + b of the cell
 *   backward  the same of the direction that ends at the first word (Bahdanau 2015: s_0 = tanh(W_s h_1))
 *   zero      nothing is handed over */
#ifndef TRAINER_LAYER_BRIDGE_H
#define TRAINER_LAYER_BRIDGE_H
#include "trainer/layer/linear.h"
#include "trainer/layer/rnn.h"

typedef struct BridgeSizes {
    int64_t layers;
    int64_t encoder, decoder; /* hidden units, of each direction */
    int directions;           /* of the encoder */
    bool reversed;            /* its one direction ends at the first word */
    bool cell;                /* LSTM */
} BridgeSizes;

typedef struct Bridge {
    int kind;
    BridgeSizes size;
    Linear *state, *cell; /* (layers) or NULL */
} Bridge;

const char *bridge_name(int i); /* NULL after the last */

/* Parameters path/layer1/state/W and so on. ERR_CONFIG for sizes that the kind cannot join. */
NODISCARD Status bridge_build(Bridge *b, Params *ps, const char *path, const char *kind, const BridgeSizes *s);
/* from (layers), of n sequences -> (layers) in the tape's memory; NULL when the tape has failed. */
const RnnLast *bridge_forward(const Bridge *b, Tape *t, const RnnLast *from, int64_t n);

#endif
