/* steep.c - one label an example, its cross-entropy counted `steepness` times. */
#include "trainer/op/op.h"
#include "trainer/task/classes.h"

typedef struct Steep {
    double steepness;
} Steep;

static const Field fields[] = {
    FIELD(Steep, steepness, .preset = "2", .min = 0.1, .max = 10, .help = "What the loss is multiplied by."),
};

static Node *loss(Task *t, Tape *tape, const Prediction *p, const Batch *b)
{
    const Steep *set = t->settings;
    return op_scale(tape, classes_loss(t, tape, p, b, 0), (real)set->steepness);
}

static const char *const metrics[] = {"loss", "accuracy", NULL};

const TaskDef task_def_steep = {
    .component = {.name = "steep", .help = "One label, steeply.", ROWS(fields, Steep)},
    .kind = PREDICTION_CLASSES,
    .target = "one label an example",
    .classes = true,
    .listed = true,
    .metrics = metrics,
    .measure = "accuracy",
    .check = classes_check,
    .loss = loss,
    .measures = classes_measures,
    .write = classes_write,
    .look = classes_look,
    .scalar = classes_scalar,
    .tiny = "source: {name: reviews, train: 24, valid: 6, test: 6, max_sentences: 4}\n"
            "model: {name: han, dim: 4, word: {hidden: 3}, sentence: {hidden: 3}}\n"
            "task: {name: steep}\n",
};
