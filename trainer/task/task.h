/* task.h - what is predicted: the loss to train with, and the measures of an evaluation.
 *
 * A task is one file and one line in the table of task.c. The loss is a sum over the batch's examples, or over all
 * positions of their sequences, which the trainer divides by how many there are on all ranks (task_weight); measures
 * are counted in integers (metric.h). Neither knows ranks or batches. */
#ifndef TRAINER_TASK_TASK_H
#define TRAINER_TASK_TASK_H
#include "trainer/metric/metric.h"
#include "trainer/model/model.h"

enum { TASK_GROUPS = 256 }; /* groups of a field without a vocabulary: numbers 0 to 255 */

typedef struct Task Task;

typedef struct TaskDef {
    Component component; /* first: the family's table is one of components */
    const char *target;  /* the field that is predicted */
    int levels;          /* of it: 0 one label an example, 1 a sequence of words */
    const char *const *metrics;
    const char *measure; /* the one that says what is best */
    Status (*open)(Task *t, const Corpus *corpus);
    /* (1), summed. target: (examples) labels, or the word of each position; all are within the vocabulary or checked by
     * the op that uses them. What the model made fits. */
    Node *(*loss)(Task *t, Tape *tape, const ModelOutput *out, const int32_t *target);
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
/* What the loss is a sum over: examples, or words of the targets with the ends of the sequences. */
int64_t task_weight(const Task *t, const ModelOutput *out, const Batch *b);

NODISCARD Status task_counts(const Task *t, Arena *arena, Counts **out); /* all 0, for task_measure */
/* Count the batch's examples. The most likely class is the guess, the first of those that are equal. tape: the one
 * of the model's pass. */
NODISCARD Status task_measure(const Task *t, Tape *tape, const ModelOutput *out, const Batch *b, Counts *counts);
/* From the counts of all ranks (counts_reduce). Added to what *out holds. */
NODISCARD Status task_report(const Task *t, const Counts *counts, Measures *out);
/* (classes, classes) truth by guess; NULL when the task has no confusion matrix. */
const int64_t *task_confusion(const Task *t, const Counts *counts);

#endif
