/* recurrent.h - the settings of decoder recurrent: for who builds one without a configuration. */
#ifndef TRAINER_GENERATE_DECODER_RECURRENT_H
#define TRAINER_GENERATE_DECODER_RECURRENT_H
#include "trainer/generate/decoder/bridge.h"
#include "trainer/generate/decoder/decoder.h"

typedef enum RecurrentApply { RECURRENT_NONE, RECURRENT_BETWEEN, RECURRENT_AFTER } RecurrentApply;

typedef struct RecurrentSettings {
    Chosen cell;    /* recurrent_same: that of the encoder */
    int64_t hidden; /* H; 0: that of the encoder */
    int64_t layers; /* 0: as many as the encoder has */
    BridgeKind bridge;
    RecurrentApply apply;
    bool input_feeding;   /* apply after */
    double dropout;       /* between layers */
    double dropout_state; /* of the state before it is multiplied by U, one mask a sequence and layer */
} RecurrentSettings;

const char *recurrent_apply_name(int i); /* the choices in the order of RecurrentApply; NULL after the last */

extern const Component recurrent_same;
extern const DecoderDef decoder_recurrent;

#endif
