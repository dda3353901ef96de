/* smooth.h - the even part of a loss with smoothed labels. */
#ifndef TRAINER_TASK_SMOOTH_H
#define TRAINER_TASK_SMOOTH_H
#include "trainer/core/tape.h"

/* Sum over the rows of weight[y] times the mean over all classes c of -log softmax(x)_c. x (N,C)  target (N)
 * weight (C) or NULL -> (1) */
Node *smooth_cross_entropy(Tape *t, Node *x, const int32_t *target, const real *weight);

#endif
