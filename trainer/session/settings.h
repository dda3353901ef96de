/* settings.h - all sections of a configuration file, and the structs that the rows here fill.
 *
 * A component's own rows stand beside the component; here are the rows of the training itself. */
#ifndef TRAINER_SESSION_SETTINGS_H
#define TRAINER_SESSION_SETTINGS_H
#include "io/config/config.h"

typedef struct RunSettings {
    const char *folder;
    int64_t seed;
    TextList seeds; /* several runs in one call, each in folder/seed-N */
} RunSettings;

typedef struct DataSettings {
    const char *corpus, *bucket, *vectors, *vectors_format;
    int64_t memory, window, max_sentences, max_words;
    bool verify;
} DataSettings;

typedef struct TrainSettings {
    int64_t batch, epochs, steps, accumulate, lanes, bucket;
    double clip_norm, clip_value, ema;
    const char *reduce, *batch_unit;
} TrainSettings;

typedef struct EvalSettings {
    const char *split, *measure, *decode;
    int64_t batch, every_epochs, every_steps;
    TextList final;
} EvalSettings;

typedef struct CheckpointSettings {
    int64_t every_steps, every_epochs, keep_last, keep_best;
    double every;
    bool background;
} CheckpointSettings;

typedef struct LogSettings {
    int64_t every_steps;
    double every, stall;
    bool csv, tensorboard, report;
} LogSettings;

extern const ConfigTable settings_table;

#endif
