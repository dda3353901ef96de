/* classification.c - one label of a document: cross-entropy, with weights of the classes and smoothed labels. */
#include "trainer/task/classes.h"

typedef enum ClassWeights { EQUAL, BALANCED } ClassWeights;

typedef struct Classification {
    double label_smoothing;
    ClassWeights class_weights;
} Classification;

static const char *weights_name(int i) { return (const char *const[]){"none", "balanced", NULL}[i]; }

static const Field fields[] = {
    FIELD(Classification, label_smoothing, .preset = "0", .min = 0, .max = 0.9,
          .help = "Share of the target that is spread evenly over all classes."),
    FIELD(Classification, class_weights, .preset = "none", .choice = weights_name,
          .help = "balanced: a class weighs in the loss as 1 / its share of the examples / number of classes."),
};

/* weight_c = n / (C n_c), so that its mean over the examples is 1; a class without examples has 1. */
static Status open(Task *t, const Corpus *corpus)
{
    const Classification *set = t->settings;
    if (set->class_weights != BALANCED) return OK;
    REQUIRE(corpus, ERR_CONFIG, "task.class_weights balanced needs a corpus");
    const Vocab *v = corpus_vocab(corpus, corpus_role(corpus, ROLE_TARGET)->vocab);
    const int64_t C = t->metrics.shape.classes;
    int64_t all = 0, used = 0;
    for (int64_t c = 0; c < C; c++) {
        all += vocab_count(v, c);
        used += vocab_count(v, c) > 0;
    }
    TRY_NEW(t->weight, t->run, C);
    for (int64_t c = 0; c < C; c++) {
        const int64_t n = vocab_count(v, c);
        t->weight[c] = n > 0 ? (real)((double)all / ((double)used * (double)n)) : 1;
    }
    return OK;
}

static Node *loss(Task *t, Tape *tape, const Prediction *p, const Batch *b)
{
    return classes_loss(t, tape, p, b, ((const Classification *)t->settings)->label_smoothing);
}

static const char *const metrics[] = {"loss", "accuracy", "f1", "confusion", NULL};

const TaskDef task_def_classification = {
    .component = {.name = "classification", .help = "One label for each document.", ROWS(fields, Classification)},
    .kind = PREDICTION_CLASSES,
    .target = "one label an example",
    .classes = true,
    .listed = true,
    .metrics = metrics,
    .measure = "accuracy",
    .open = open,
    .check = classes_check,
    .loss = loss,
    .measures = classes_measures,
    .write = classes_write,
    .look = classes_look,
    .scalar = classes_scalar,
};
