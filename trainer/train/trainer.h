/* trainer.h - the parts of a running training, for the files that make it up: train.c (the loop), save.c (checkpoints),
 * record.c (what people see). */
#ifndef TRAINER_TRAIN_TRAINER_H
#define TRAINER_TRAIN_TRAINER_H
#include "comm/progress.h"
#include "io/checkpoint/checkpoint_store.h"
#include "io/corpus/loader.h"
#include "io/record/metrics.h"
#include "io/record/run.h"
#include "trainer/evaluate/samples.h"
#include "trainer/schedule/early.h"
#include "trainer/schedule/schedule.h"
#include "trainer/train/gradient.h"
#include "trainer/train/train.h"
#include "trainer/train/update.h"

/* How an epoch is cut into updates. Kept with the state, since settings may change when a run goes on. */
typedef struct TrainPlan {
    int64_t batches;    /* global batches an epoch */
    int64_t accumulate; /* batches an update */
    int64_t before;     /* updates done besides those that these two make of the way to the next batch: 0 until the
                         * settings or the corpus change */
} TrainPlan;

/* Where a training stands: all that a checkpoint holds besides parameters and optimiser states. Whatever decides about
 * later steps is here, or is a function of what is here: a training that goes on from a checkpoint makes the same bits
 * as one that never stopped. The sums are this rank's; a checkpoint holds those of all ranks. */
typedef struct TrainState {
    int64_t step;                 /* updates done */
    LoaderPosition next;          /* the next batch */
    int64_t evaluated;            /* epochs whose end was dealt with: evaluation, stopping, linear start */
    LossSum row, epoch;           /* since the last row of the metrics, since the epoch began */
    double rate, norm;            /* of the last update, which the next row tells */
    double best;                  /* the deciding measure at its best; NaN: none yet */
    int64_t best_step, best_from; /* best_from: measures of earlier steps do not count, the model has changed */
    int64_t over;                 /* 1: early stopping said so */
    TrainPlan plan;
} TrainState;

/* Histograms by parameter, for TensorBoard (board.h). */
typedef struct Board {
    int n; /* 0: none */
    EventsHistogram *values, *gradients;
} Board;

typedef struct Trainer {
    Session s;
    Update u;
    Schedule schedule;
    Early early;
    TrainState state;
    const char *state_path[OPTIM_STATES]; /* of the optimiser's states in a checkpoint */
    const TrainOptions *options;
    const TrainSettings *train;
    const EvalSettings *eval;
    const CheckpointSettings *saving;
    const LogSettings *log;
    Loader *loader;
    int64_t batches, updates; /* global batches and updates an epoch, of the settings of now */
    double measured, loss;    /* the deciding measure and the loss of the evaluation at this step; NaN: none */
    const char *decides;      /* name of the measure that says what is best, and which way */
    bool higher;
    Measures names;                /* all measures of the task, without values */
    Arena keep;                    /* classes and histograms lie there */
    Classes classes[TRAIN_SPLITS]; /* of the final evaluations, in the order of the result */
    Samples samples;               /* of that evaluation, in their own arena */
    Arena samples_arena;
    Measures last; /* of the last evaluation while training; n = 0: none yet */

    /* Rank 0 alone: */
    TrainSource source;
    bool updated; /* an update was made by this process */
    RunFolder *folder;
    CheckpointStore *store;
    Metrics *metrics;
    Progress progress;
    ProgressTotals totals;
    double started, saved_at; /* clock_seconds of the last save */
    int64_t saved_step;
    double load_seconds, save_seconds, evaluate_seconds;
} Trainer;

void trainer_settings(Trainer *t, const Config *config, const TrainOptions *options);
LoaderOptions trainer_reading(const Trainer *t); /* the batches of this rank */
NODISCARD Status trainer_build(Trainer *t);      /* after session_open: optimiser, schedule, a state at the start */
/* When the state is that which the training goes on from: how many steps there will be, done and left. */
NODISCARD Status trainer_plan(Trainer *t);
/* Updates that a plan makes of the way from the start of the training to the next batch, without plan->before. */
int64_t trainer_updates(const TrainPlan *plan, LoaderPosition next);
double trainer_epoch(const Trainer *t); /* epochs done, with the fraction */
bool trainer_leads(const Trainer *t);   /* rank 0 */

/* save.c */
NODISCARD Status save_open(Trainer *t);   /* rank 0 */
NODISCARD Status save_resume(Trainer *t); /* [collective] take over the newest good checkpoint, if any */
NODISCARD Status save_source(Trainer *t); /* rank 0: fill t->source */
/* Rank 0. ERR_CONFIG when what is at path was made by other mathematics, and that was not accepted: yaml, the
 * configuration, or source, what it stood on. */
NODISCARD Status save_compare(const Trainer *t, const char *path, const char *yaml, const TrainSource *source,
                              bool finished);
NODISCARD Status save_now(Trainer *t, bool wait); /* [collective] */
NODISCARD Status save_poll(Trainer *t);           /* rank 0: has a write in the background failed? */
NODISCARD Status save_close(Trainer *t);          /* rank 0: wait for it */

/* record.c */
NODISCARD Status record_open(Trainer *t);      /* rank 0, after save_resume */
NODISCARD Status record_train_row(Trainer *t); /* [collective] loss since the last row */
NODISCARD Status record_measures(Trainer *t, const char *split, const Measures *m); /* rank 0; and t->samples */
void record_progress(Trainer *t);                                                   /* rank 0 */
NODISCARD Status record_close(Trainer *t, const TrainResult *result); /* rank 0; result NULL: the run was stopped */
void record_abandon(Trainer *t); /* rank 0: after a failure, close without a word */
/* rank 0: when the run in the folder came to its end under this configuration, result with its measures. */
NODISCARD Status record_finished(Trainer *t, TrainResult *result);

#endif
