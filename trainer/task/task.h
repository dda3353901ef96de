/* task.h - what a prediction is taken for: the loss to train with, the measures of an evaluation, and what people see.
 *
 * A task is one file and one line in the table of task.c. It takes predictions of one kind (trainer/model/prediction.h)
 * and says all that hangs on the kind, so that nobody else needs to know it. The loss is a sum over the batch's
 * examples, or over all positions of their sequences, which the trainer divides by how many there are on all ranks
 * (task_weight); measures are counted in integers (metric.h). Neither knows ranks or batches. */
#ifndef TRAINER_TASK_TASK_H
#define TRAINER_TASK_TASK_H
#include "io/record/perclass.h"
#include "trainer/metric/metric.h"
#include "trainer/model/model.h"

enum {
    TASK_GROUPS = 256, /* groups of a field without a vocabulary: numbers 0 to 255 */
    TASK_SHOWN = 5     /* of what could have been said, for people who look */
};

typedef struct Task Task;

/* What is shown of one example beside its attention. */
typedef struct TaskLook {
    const char *said; /* the guess; NULL: it is more than a name */
    int64_t n;        /* what it could have said, the likeliest first */
    const char *const *name;
    const double *probability; /* (n) */
    int64_t n_losses;
    const double *loss; /* (n_losses) -log p of each word of the target and of its end */
} TaskLook;

typedef struct TaskDef {
    Component component; /* first: the family's table is one of components */
    PredictionKind kind; /* of the predictions that it takes */
    const char *target;  /* what the field of role target must be, for messages: "one label an example" */
    int levels;          /* of it */
    FieldType type;
    bool classes;   /* its ids are the classes, labels, tags or words that the model scores */
    bool listed;    /* and these have names that are shown; an unknown one among them is never right */
    bool positions; /* the loss is a mean over all words of the target, otherwise over examples or numbers */
    int ends;       /* and over so many ends of each sequence */
    const char *const *metrics;
    const char *measure;                           /* the one that says what is best */
    Status (*open)(Task *t, const Corpus *corpus); /* NULL: nothing is prepared */
    /* Does the prediction fit the batch? Asked before each of the following. */
    Status (*check)(const Task *t, const Prediction *p, const Batch *b);
    /* (1), summed. What is found wrong with targets marks the tape. */
    Node *(*loss)(Task *t, Tape *tape, const Prediction *p, const Batch *b);
    int64_t (*weight)(const Prediction *p, const Batch *b); /* what the loss is a sum over; NULL: examples */
    /* Truth, guess and losses of each example, for task_add. */
    Status (*measures)(const Task *t, Tape *tape, const Prediction *p, const Batch *b, Counts *counts);
    /* Keys of the object that `mneme predict` prints for an example; top: of what could be said that much, 0: all.
     * NULL: its answers are decoded, as `translate --json` has them. */
    Status (*write)(const Task *t, Tape *tape, const Prediction *p, const Batch *b, int64_t example, int64_t top,
                    Json *j);
    /* Of a batch of one example. What lies in *out is in keep. */
    Status (*look)(Task *t, Tape *tape, const Prediction *p, const Batch *b, Arena *keep, TaskLook *out);
    /* Implicit attention asks what an output hangs on: how many outputs the batch's only example has (NULL: one), and,
     * of as many copies of it, the sum of output j of copy j. */
    int64_t (*outcomes)(const Task *t, const Batch *b);
    Node *(*scalar)(const Task *t, Tape *tape, const Prediction *p);
    const char *tiny; /* as of a model; NULL: some model's is of this task */
} TaskDef;

/* Hears of each example that is counted. */
typedef struct TaskListener {
    Status (*each)(void *context, const Batch *b, int64_t i, const MetricExample *e);
    void *context;
} TaskListener;

struct Task {
    const TaskDef *def;
    const TaskListener *listener; /* NULL: nobody listens */
    const void *settings;
    Arena *run;
    const char *where;          /* the corpus, for messages */
    const char *group;          /* field that groups examples; NULL: one group */
    const char *const *outputs; /* metrics of what a model makes by itself, where that is more than its guess; NULL */
    MetricSet metrics;
    real *weight;       /* (classes) of each class in the loss; NULL: 1 */
    const Vocab *vocab; /* of the candidates; NULL: they are numbers */
};

const Component *task_choice(int i);        /* the family: NULL after the last */
const TaskDef *task_find(const char *name); /* NULL when there is none */

/* name: the choice; settings: its struct, borrowed. corpus: NULL when there is none (a benchmark); then classes have no
 * names and no counts. ERR_CONFIG or ERR_DATA when task and corpus do not go together. */
NODISCARD Status task_open(Task **out, Arena *run, const char *name, const void *settings, const ModelData *data,
                           const Corpus *corpus);
/* The loss of the batch and the model's penalty, summed over its examples: a node of one element. Failures mark the
 * tape. */
Node *task_loss(Task *t, Tape *tape, const Prediction *p, const Batch *b);
/* What the loss is a sum over: examples, or words of the targets with the ends of the sequences. */
int64_t task_weight(const Task *t, const Prediction *p, const Batch *b);

NODISCARD Status task_counts(const Task *t, Arena *arena, Counts **out); /* all 0, for task_measure */
/* Count the batch's examples. The most likely class is the guess, the first of those that are equal. tape: the one
 * of the model's pass. */
NODISCARD Status task_measure(const Task *t, Tape *tape, const Prediction *p, const Batch *b, Counts *counts);
/* From the counts of all ranks (counts_reduce). Added to what *out holds. */
NODISCARD Status task_report(const Task *t, const Counts *counts, Measures *out);
/* How each class did; no classes where the task names none, or they were not counted. Memory from keep. */
NODISCARD Status task_classes(const Task *t, const Counts *counts, Arena *keep, Classes *out);

NODISCARD Status task_write(const Task *t, Tape *tape, const Prediction *p, const Batch *b, int64_t example,
                            int64_t top, Json *j);
NODISCARD Status task_look(Task *t, Tape *tape, const Prediction *p, const Batch *b, Arena *keep, TaskLook *out);
int64_t task_outcomes(const Task *t, const Batch *b);
Node *task_scalar(const Task *t, Tape *tape, const Prediction *p); /* failures mark the tape */
/* The truth of an example in a word; NULL: it is not known, or more than a word. */
const char *task_truth(const Task *t, const Batch *b, int64_t example);

/* --- For tasks --- */
#define TASK_GROUP_HELP                                                                                                \
    "Field whose values group the examples for mean_error; auto: the corpus's own field of groups when there is one; " \
    "none."

/* The field that setting `group` means: NULL auto, none or its name; NULL: none. corpus may be NULL. */
const char *task_group(const char *setting, const Corpus *corpus);
/* The target with one id an example, all of them classes. */
NODISCARD Status task_ids(const int32_t **out, const Task *t, const Batch *b);
/* Is an id of an example within 0..limit-1? field: its name. */
NODISCARD Status task_id(const Task *t, const Batch *b, const char *field, int64_t example, int32_t id, int64_t limit);
/* Marks the tape; a node of no elements. */
Node *task_refuse(Tape *tape, Status st);
/* One example more, of number i of the batch, whose group is added to e. */
NODISCARD Status task_add(const Task *t, Tape *tape, const Batch *b, int64_t i, MetricExample *e, Counts *counts);

/* The likeliest of n, best first; of equal ones the first. */
typedef struct TaskLikely {
    int64_t n;
    int32_t *id;         /* (n) */
    double *probability; /* (n) */
} TaskLikely;
/* score (n): logits; top: how many are wanted, 0: all. */
NODISCARD Status task_likely(const real *score, int64_t n, int64_t top, Arena *arena, TaskLikely *out);
/* Their names and probabilities, to be shown. */
NODISCARD Status task_names(const char *const *name, const TaskLikely *likely, Arena *keep, TaskLook *out);
/* The names of n ids as one text. */
NODISCARD Status task_join(int64_t n, const int32_t *id, const char *const *name, const char *between, Arena *keep,
                           const char **out);
/* p of the guess, from the loss that task_row_loss gives. */
double task_row_probability(const real *score, int64_t truth, int32_t guess, double loss);
/* -log softmax(score)_truth, in double, so that it hangs on the row alone; *guess: the first of the largest. */
double task_row_loss(const real *score, int64_t n, int64_t truth, int32_t *guess);

#endif
