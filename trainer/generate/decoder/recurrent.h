/* recurrent.h - the settings of decoder recurrent: for who builds one without a configuration. */
#ifndef TRAINER_GENERATE_DECODER_RECURRENT_H
#define TRAINER_GENERATE_DECODER_RECURRENT_H
#include "trainer/generate/decoder/bridge.h"
#include "trainer/generate/decoder/decoder.h"

typedef enum RecurrentApply { RECURRENT_NONE, RECURRENT_BETWEEN, RECURRENT_AFTER } RecurrentApply;

typedef struct RecurrentAfter { /* of apply after */
    bool input_feeding;
} RecurrentAfter;

typedef enum BetweenState { BETWEEN_NEW, BETWEEN_BEFORE } BetweenState;

typedef struct RecurrentBetween { /* of apply between */
    BetweenState state;           /* which one is part of a step's result */
} RecurrentBetween;

typedef struct RecurrentSettings {
    Chosen cell;    /* recurrent_same: that of the encoder */
    int64_t hidden; /* H; 0: that of the encoder */
    int64_t layers; /* 0: as many as the encoder has */
    BridgeKind bridge;
    Chosen apply;         /* of recurrent_apply_choice */
    double dropout;       /* between layers */
    double dropout_state; /* of the state before it is multiplied by U, one mask a sequence and layer */
} RecurrentSettings;

const Component *recurrent_apply_choice(int i); /* in the order of RecurrentApply; NULL after the last */

extern const Component recurrent_same;
extern const DecoderDef decoder_recurrent;

#endif
