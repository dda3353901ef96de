/* bridge.h - from a memory to what a recurrent decoder has before its first step, layer by layer.
 *
 *   copy      the encoder's last state and second state as they are; of both directions the sum. Sizes must be equal
 *   linear    tanh(W h + b) of the state of all directions, W c + b of the second state
 *   backward  the same of the direction that ends at the first word (Bahdanau 2015: s_0 = tanh(W_s h_1))
 *   mean      the same of the mean of the memory's states, for encoders of any kind (Xu 2015)
 *   zero      nothing is handed over */
#ifndef TRAINER_GENERATE_DECODER_BRIDGE_H
#define TRAINER_GENERATE_DECODER_BRIDGE_H
#include "trainer/generate/memory.h"
#include "trainer/layer/linear.h"

typedef enum BridgeKind { BRIDGE_COPY, BRIDGE_LINEAR, BRIDGE_BACKWARD, BRIDGE_MEAN, BRIDGE_ZERO } BridgeKind;

typedef struct BridgeSizes { /* of the decoder */
    int64_t layers, hidden;
    bool second; /* its cells have a second state */
} BridgeSizes;

typedef struct Bridge {
    BridgeKind kind;
    MemoryShape from;
    BridgeSizes to;
    Linear *state, *second; /* (layers) or NULL */
} Bridge;

const char *bridge_name(int i); /* the choices in the order of BridgeKind; NULL after the last */

/* Parameters path/layer1/state/W and so on. ERR_CONFIG for what the kind cannot join. */
NODISCARD Status bridge_build(Bridge *b, Params *ps, const char *path, BridgeKind kind, const MemoryShape *from,
                              const BridgeSizes *to);
/* -> (layers) each (n, hidden), in the tape's memory; NULL when the tape has failed. */
const RnnLast *bridge_forward(const Bridge *b, Tape *t, const Memory *m);

#endif
