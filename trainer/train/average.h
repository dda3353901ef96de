/* average.h - the mean of several checkpoints of a run, as a checkpoint of its own: to evaluate and to predict.
 *
 * Vaswani 2017, section 6.1: the last 5 of a base model, 20 of a large one. */
#ifndef TRAINER_TRAIN_AVERAGE_H
#define TRAINER_TRAIN_AVERAGE_H
#include "trainer/session/session.h"

/* Rank 0: the newest `most` checkpoints of the configuration's run, oldest first; memory from s->run. ERR_INPUT when there
 * are not two. */
NODISCARD Status average_newest(const Session *s, int most, int *n, const char *const **path);
/* [collective] The mean of the parameters that eval would take of each file (the moving averages where they are), summed in
 * double in the order given and rounded once; what else a model keeps is that of the last. It is written to output and
 * left in s. n is the same on all ranks; path counts on rank 0. */
NODISCARD Status average_checkpoints(Session *s, int n, const char *const *path, const char *output);

#endif
