/* register.h - what a checkpoint of this program holds: one list, for saving and loading alike. */
#ifndef TRAINER_TRAIN_REGISTER_H
#define TRAINER_TRAIN_REGISTER_H
#include "io/checkpoint/checkpoint.h"
#include "trainer/train/trainer.h"

/* Parameters and the model's own numbers: enough to evaluate. average: receives the moving average, if the file has
 * one (params->count numbers); NULL when it is not wanted. */
NODISCARD Status register_model(Checkpoint *c, Session *s, real *average);
/* All of a training. sums: row and epoch sums over all ranks, where the checkpoint reads and writes them. */
NODISCARD Status register_trainer(Checkpoint *c, Trainer *t, LossSum sums[2]);

#endif
