/* several.h - the same training with several seeds, one after the other, and what they come to together.
 *
 * Each seed's run lives in FOLDER/seed-N and is resumed, or found finished, by itself. */
#ifndef TRAINER_TRAIN_SEVERAL_H
#define TRAINER_TRAIN_SEVERAL_H
#include "trainer/train/train.h"

/* [collective] Train with each of run.seeds; rank 0 appends to table mean, deviation, smallest and largest of each
 * measure and the seed that is best on train and on valid, and writes them to FOLDER/summary.json. */
NODISCARD Status several_run(Comm *comm, const Config *config, const TrainOptions *options, Arena *run, Buffer *table);

#endif
