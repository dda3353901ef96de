/* board.h - what TensorBoard shows beside curves: settings, and histograms of parameters and gradients. */
#ifndef TRAINER_TRAIN_BOARD_H
#define TRAINER_TRAIN_BOARD_H
#include "trainer/train/trainer.h"

NODISCARD Status board_settings(Trainer *t); /* rank 0, when the metrics are open */
/* Rank 0: how parameters and the last gradients are spread, to be asked before an evaluation, which takes the memory of
 * the gradients' rows; written with its measures. */
NODISCARD Status board_take(Trainer *t, Board *out);
NODISCARD Status board_write(Trainer *t, const Board *b);

#endif
