/* gradient.h - loss and gradients of one batch on this rank. */
#ifndef TRAINER_TRAIN_GRADIENT_H
#define TRAINER_TRAIN_GRADIENT_H
#include "trainer/session/session.h"

/* Sums; the loss in units of 2^-32, so that sums over ranks are exact and in no order. weight: examples, or words of
 * target sequences: what the loss is a sum over (task_weight). */
typedef struct LossSum {
    int64_t examples, tokens, weight, loss;
} LossSum;

/* ranks: of the run; a sum too large for the integers of all of them stays at its largest value. */
void gradient_sum_loss(LossSum *to, const LossSum *sum, int ranks);
double gradient_mean_loss(const LossSum *sum); /* per example or word; NaN when there is none */

/* Adds the gradients of the batch (sum over its examples) to the parameters' and its loss to sum. Memory from the
 * session's step arena, which the caller releases after the update. ERR_CHECK, with the step, the examples and the
 * first operation, when something is not finite. An empty batch changes nothing. */
NODISCARD Status gradient_add(Session *s, const Batch *b, uint64_t step, LossSum *sum);

#endif
