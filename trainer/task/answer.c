/* answer.c - one answer to a question about a story: accuracy, error by task, their mean, failed tasks. */
#include "trainer/task/classes.h"

typedef struct Answer {
    const char *group; /* NULL: auto */
} Answer;

static const Field fields[] = {
    FIELD(Answer, group, .preset = "auto", .none = "auto", .help = TASK_GROUP_HELP),
};

static Status open(Task *t, const Corpus *corpus)
{
    t->group = task_group(((const Answer *)t->settings)->group, corpus);
    return OK;
}

static Node *loss(Task *t, Tape *tape, const Prediction *p, const Batch *b) { return classes_loss(t, tape, p, b, 0); }

static const char *const metrics[] = {"loss", "accuracy", "groups", "confusion", NULL};

const TaskDef task_def_answer = {
    .component = {.name = "answer",
                  .help = "One answer to each question, a word or several taken as one.",
                  .source = "Weston et al. 2015",
                  ROWS(fields, Answer)},
    .kind = PREDICTION_CLASSES,
    .target = "one label an example",
    .classes = true,
    .listed = true,
    .metrics = metrics,
    .measure = "mean_error",
    .open = open,
    .check = classes_check,
    .loss = loss,
    .measures = classes_measures,
    .write = classes_write,
    .look = classes_look,
    .scalar = classes_scalar,
};
