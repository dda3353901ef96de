/* task_parts.h - what task.c and task_words.c share. No other file includes it. */
#ifndef TRAINER_TASK_TASK_PARTS_H
#define TRAINER_TASK_TASK_PARTS_H
#include "trainer/task/task.h"

/* The target of each position, when what the model made fits the task and the batch. */
NODISCARD Status task_words(const int32_t **out, const Task *t, const ModelOutput *o, const Batch *b);
NODISCARD Status task_measure_words(const Task *t, Tape *tape, const ModelOutput *out, const Batch *b, Counts *counts);

#endif
