/* classes.h - what the tasks have in common that name one class of an example: all but the loss. Only for trainer/task.
 */
#ifndef TRAINER_TASK_CLASSES_H
#define TRAINER_TASK_CLASSES_H
#include "trainer/task/task.h"

Status classes_check(const Task *t, const Prediction *p, const Batch *b);
/* Cross-entropy with t->weight; smoothing: share of the target that is spread over all classes. */
Node *classes_loss(const Task *t, Tape *tape, const Prediction *p, const Batch *b, double smoothing);
Status classes_measures(const Task *t, Tape *tape, const Prediction *p, const Batch *b, Counts *counts);
Status classes_write(const Task *t, Tape *tape, const Prediction *p, const Batch *b, int64_t example, int64_t top,
                     Json *j);
Status classes_look(Task *t, Tape *tape, const Prediction *p, const Batch *b, Arena *keep, TaskLook *out);
Node *classes_scalar(const Task *t, Tape *tape, const Prediction *p); /* the score of the guess: a class or candidate */

#endif
