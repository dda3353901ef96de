/* settings.h - all sections of a configuration file, and the structs that the rows here fill.
 *
 * A component's own rows stand beside the component; here are the rows of the training itself. */
#ifndef TRAINER_SESSION_SETTINGS_H
#define TRAINER_SESSION_SETTINGS_H
#include "io/config/config.h"
#include "io/text/vectors.h"

typedef struct RunSettings {
    const char *folder;
    int64_t seed;
    TextList seeds; /* several runs in one call, each in folder/seed-N */
} RunSettings;

typedef struct DataSettings {
    const char *corpus, *vectors;
    const char *bucket; /* NULL: auto, the model's longest */
    VectorsFormat vectors_format;
    int64_t memory, window, max_sentences, max_words;
    bool verify;
} DataSettings;

typedef enum BatchUnit { BATCH_EXAMPLES, BATCH_WORDS } BatchUnit;

typedef struct TrainSettings {
    int64_t batch, epochs, steps, accumulate, lanes, bucket;
    double clip_norm, clip_value, ema;
    BatchUnit batch_unit;
    int reduce; /* reduce_at */
} TrainSettings;

typedef enum EvalDecode { EVAL_NO_DECODE, EVAL_GREEDY, EVAL_BEAM } EvalDecode;

typedef struct EvalSettings {
    const char *split;   /* NULL: none */
    const char *measure; /* NULL: the task's own */
    EvalDecode decode;
    int64_t batch, every_epochs;
    int64_t greedy, shown; /* examples whose outputs are made while training, and shown */
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
    bool csv, tensorboard, histograms, report;
} LogSettings;

extern const ConfigTable settings_table;

#endif
