/* train.h - a training run from its start, or from the newest good checkpoint, to its end. */
#ifndef TRAINER_TRAIN_TRAIN_H
#define TRAINER_TRAIN_TRAIN_H
#include "io/checkpoint/checkpoint_store.h"
#include "io/file/hash.h"
#include "trainer/core/arithmetic.h"
#include "trainer/session/session.h"

struct Trainer;

typedef struct TrainOptions {
    const char *folder;  /* of the run */
    const char *command; /* as it was typed, for the records */
    bool fresh;          /* start anew; the older run's files are moved aside */
    bool accept_changes; /* go on although the configuration changes the mathematics */
    /* NULL, or called on each rank when it is behind a place: resumed, batch, update, evaluate (before it), measured,
     * saved. Tests stop a run there. */
    void (*reached)(struct Trainer *t, const char *place);
} TrainOptions;

/* What a training stands on besides its configuration; "" and -1: not known. */
typedef struct TrainSource {
    char corpus[HASH_HEX], vectors[HASH_HEX]; /* digests: of all of the corpus, of the file of vectors */
    int64_t examples;                         /* that it learns from */
    char arithmetic[ARITHMETIC_NAME];         /* by which it computes; "": not said */
} TrainSource;

enum { TRAIN_SPLITS = 4 };

/* The measures of the final evaluation, by split. */
typedef struct TrainResult {
    TrainSource source;
    int64_t steps, epochs;
    int n;
    const char *split[TRAIN_SPLITS];
    Measures measures[TRAIN_SPLITS];
    const char *decides;              /* the measure that says which is better */
    char checkpoint[CHECKPOINT_FILE]; /* that was measured: the best, which eval, predict and attend take too */
    bool stopped_early;               /* by section `early` */
    bool was_finished;                /* nothing was left to do */
} TrainResult;

/* [collective] STOPPED after a signal and a good save. */
NODISCARD Status train_run(Comm *comm, const Config *config, uint64_t seed, const TrainOptions *options, Arena *run,
                           TrainResult *result);

#endif
