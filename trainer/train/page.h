/* page.h - report.html of a run: results, curves, and what the model looked at in some examples. */
#ifndef TRAINER_TRAIN_PAGE_H
#define TRAINER_TRAIN_PAGE_H
#include "trainer/train/trainer.h"

/* Rank 0. result NULL: the run was stopped and has no results yet. */
NODISCARD Status page_write(Trainer *t, const TrainResult *result);

#endif
