/* recurrent.h - the settings of decoder recurrent: for who builds one without a configuration. */
#ifndef TRAINER_GENERATE_DECODER_RECURRENT_H
#define TRAINER_GENERATE_DECODER_RECURRENT_H
#include "trainer/attention/attend.h"
#include "trainer/generate/decoder/bridge.h"
#include "trainer/generate/decoder/decoder.h"

typedef enum RecurrentApply { RECURRENT_NONE, RECURRENT_BETWEEN, RECURRENT_AFTER } RecurrentApply;

typedef struct RecurrentSettings {
    Cell cell;
    int64_t hidden; /* H */
    int64_t layers; /* 1 or more */
    BridgeKind bridge;
    RecurrentApply apply;
    bool input_feeding;       /* apply after */
    double dropout;           /* between layers */
    double recurrent_dropout; /* of the state before it is multiplied by U, one mask a sequence and layer */
    AttendSettings attention; /* unless apply none */
    double guide;             /* of the attention, as in AttendUse */
} RecurrentSettings;

const char *recurrent_apply_name(int i); /* the choices in the order of RecurrentApply; NULL after the last */

extern const DecoderDef decoder_recurrent;

#endif
