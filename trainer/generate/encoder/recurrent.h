/* recurrent.h - the settings of encoder recurrent. */
#ifndef TRAINER_GENERATE_ENCODER_RECURRENT_H
#define TRAINER_GENERATE_ENCODER_RECURRENT_H
#include "trainer/generate/encoder/encoder.h"

typedef struct RecurrentEncoderSettings {
    Chosen cell;
    int64_t hidden, layers; /* of each direction */
    bool bidirectional, reverse;
    double dropout, dropout_state;
} RecurrentEncoderSettings;

extern const EncoderDef encoder_recurrent;

#endif
