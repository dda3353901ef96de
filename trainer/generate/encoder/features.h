/* features.h - the settings of encoder features. */
#ifndef TRAINER_GENERATE_ENCODER_FEATURES_H
#define TRAINER_GENERATE_ENCODER_FEATURES_H
#include "trainer/generate/encoder/encoder.h"

typedef struct FeaturesSettings {
    int64_t hidden;
    bool places, squash;
    double dropout;
} FeaturesSettings;

extern const EncoderDef encoder_features;

#endif
