/* task.h - what is predicted: the loss to train with, and the measures of an evaluation.
 *
 * A task is one file and one line in the table of task.c. The loss is a sum over the batch's examples, which the
 * trainer divides by the examples of all ranks; measures are counted in integers (metric.h). Neither knows ranks or
 * batches. */
#ifndef TRAINER_TASK_TASK_H
#define TRAINER_TASK_TASK_H
#include "trainer/metric/metric.h"
#include "trainer/model/model.h"

enum { TASK_GROUPS = 256 }; /* groups of a field without a vocabulary: numbers 0 to 255 */

typedef struct Task Task;

typedef struct TaskDef {
    Component component; /* first: the family's table is one of components */
    const char *target;  /* the field with the label of each example, levels 0 */
    const char *const *metrics;
    const char *measure; /* the one that says what is best */
    Status (*open)(Task *t, const Corpus *corpus);
    Node *(*loss)(Task *t, Tape *tape, Node *logits, const int32_t *target); /* (1), summed over the examples */
} TaskDef;

struct Task {
    const TaskDef *def;
    const void *settings;
    Arena *run;
    const char *where; /* the corpus, for messages */
    const char *group; /* field that groups examples; NULL: one group */
    MetricSet metrics;
    real *weight; /* (classes) of each class in the loss; NULL: 1 */
};

const Component *task_choice(int i); /* the family: NULL after the last */

/* name: the choice; settings: its struct, borrowed. corpus: NULL when there is none (a benchmark); then classes have no
 * names and no counts. ERR_CONFIG or ERR_DATA when task and corpus do not go together. */
NODISCARD Status task_open(Task **out, Arena *run, const char *name, const void *settings, const ModelData *data,
                           const Corpus *corpus);
/* The loss of the batch and the model's penalty, summed over its examples: a node of one element. Failures mark the
 * tape. */
Node *task_loss(Task *t, Tape *tape, const ModelOutput *out, const Batch *b);

NODISCARD Status task_counts(const Task *t, Arena *arena, Counts **out); /* all 0, for task_measure */
/* Count the batch's examples. The most likely class is the guess, the first of those that are equal. */
NODISCARD Status task_measure(const Task *t, const ModelOutput *out, const Batch *b, Counts *counts);
/* From the counts of all ranks (counts_reduce). Added to what *out holds. */
NODISCARD Status task_report(const Task *t, const Counts *counts, Measures *out);
/* (classes, classes) truth by guess; NULL when the task has no confusion matrix. */
const int64_t *task_confusion(const Task *t, const Counts *counts);

#endif
