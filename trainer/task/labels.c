/* labels.c - several labels for an example, or none: each is yes or no for itself. */
#include <math.h>
#include <string.h>

#include "trainer/op/op.h"
#include "trainer/task/classes.h"

typedef struct Labels {
    double threshold;
} Labels;

static const Field fields[] = {
    FIELD(Labels, threshold, .preset = "0.5", .min = 0.001, .max = 0.999,
          .help = "Probability from which on a label is said."),
};

/* yes (B,C): 1 where an example has the label. */
static Status true_labels(const Task *t, Tape *tape, const Batch *b, real **yes)
{
    const int64_t C = t->metrics.shape.classes;
    const Ragged *r = batch_role(b, ROLE_TARGET);
    REQUIRE(r && r->id && r->field->levels == 1 && r->count[0] == b->B, ERR_DATA,
            "%s: the batch has no target with the labels of each example", t->where);
    *yes = tape_alloc(tape, (size_t)(b->B * C) * sizeof **yes);
    TRY(tape_status(tape));
    memset(*yes, 0, (size_t)(b->B * C) * sizeof **yes);
    for (int64_t i = 0; i < b->B; i++)
        for (int64_t k = r->offset[0][i]; k < r->offset[0][i + 1]; k++) {
            TRY(task_id(t, b, r->field->name, i, r->id[k], C));
            (*yes)[i * C + r->id[k]] = 1;
        }
    return OK;
}

static Node *loss(Task *t, Tape *tape, const Prediction *p, const Batch *b)
{
    real *yes;
    const Status st = true_labels(t, tape, b, &yes);
    return st == OK ? op_sigmoid_cross_entropy(tape, p->scores, yes) : task_refuse(tape, st);
}

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }

static bool said(const Task *t, real score)
{
    return sigmoid((double)score) >= ((const Labels *)t->settings)->threshold;
}

static double row_loss(int64_t C, const real *x, const real *yes)
{
    double sum = 0;
    for (int64_t c = 0; c < C; c++)
        sum += fmax((double)x[c], 0) - (double)x[c] * (double)yes[c] + log1p(exp(-fabs((double)x[c])));
    return sum;
}

static Status measures(const Task *t, Tape *tape, const Prediction *p, const Batch *b, Counts *counts)
{
    const int64_t C = t->metrics.shape.classes;
    real *yes;
    int32_t *truth = tape_alloc(tape, (size_t)C * sizeof *truth), *guess = tape_alloc(tape, (size_t)C * sizeof *guess);
    TRY(true_labels(t, tape, b, &yes));
    TRY(tape_status(tape));
    for (int64_t i = 0; i < b->B; i++) {
        const real *x = p->scores->value + i * C;
        const double cost = row_loss(C, x, yes + i * C);
        MetricExample e = {.truth = {.id = truth}, .guess = {.id = guess}, .n_losses = 1, .loss = &cost};
        for (int64_t c = 0; c < C; c++) {
            if (yes[i * C + c] > 0) truth[e.truth.n++] = (int32_t)c;
            if (said(t, x[c])) guess[e.guess.n++] = (int32_t)c;
            yes[i * C + c] = said(t, x[c]);
        }
        e.probability = exp(-row_loss(C, x, yes + i * C));
        TRY(task_add(t, tape, b, i, &e, counts));
    }
    return OK;
}

/* The labels of an example, ascending; its count. */
static int64_t said_of(const Task *t, const real *x, int32_t *label)
{
    int64_t n = 0;
    for (int64_t c = 0; c < t->metrics.shape.classes; c++)
        if (said(t, x[c])) label[n++] = (int32_t)c;
    return n;
}

/* Labels by their probability, which do not add up to 1. */
static Status likely(const Task *t, const real *x, int64_t top, Arena *arena, TaskLikely *out)
{
    TRY(task_likely(x, t->metrics.shape.classes, top, arena, out));
    for (int64_t i = 0; i < out->n; i++) out->probability[i] = sigmoid((double)x[out->id[i]]);
    return OK;
}

static Status write(const Task *t, Tape *tape, const Prediction *p, const Batch *b, int64_t example, int64_t top,
                    Json *j)
{
    const MetricShape *s = &t->metrics.shape;
    const real *x = p->scores->value + example * s->classes;
    TaskLikely l;
    int32_t *label = tape_alloc(tape, (size_t)s->classes * sizeof *label);
    (void)b;
    TRY(tape_status(tape));
    TRY(likely(t, x, top, tape->arena, &l));
    const int64_t n = said_of(t, x, label);
    json_key(j, "labels");
    json_open_array(j);
    for (int64_t i = 0; i < n; i++) json_text(j, s->class_name[label[i]]);
    json_end(j);
    json_key(j, "probabilities");
    json_open_object(j);
    for (int64_t i = 0; i < l.n; i++) json_put_number(j, s->class_name[l.id[i]], l.probability[i]);
    json_end(j);
    return OK;
}

static Status look(Task *t, Tape *tape, const Prediction *p, const Batch *b, Arena *keep, TaskLook *out)
{
    const MetricShape *s = &t->metrics.shape;
    TaskLikely l;
    int32_t *label = tape_alloc(tape, (size_t)s->classes * sizeof *label);
    (void)b;
    TRY(tape_status(tape));
    TRY(likely(t, p->scores->value, TASK_SHOWN, keep, &l));
    TRY(task_names(s->class_name, &l, keep, out));
    return task_join(said_of(t, p->scores->value, label), label, s->class_name, ", ", keep, &out->said);
}

static const char *const metrics[] = {"loss", "exact", "f1", NULL};

const TaskDef task_def_labels = {
    .component = {.name = "labels",
                  .help = "Several labels for each example, or none: each is yes or no for itself.",
                  ROWS(fields, Labels)},
    .kind = PREDICTION_LABELS,
    .target = "the labels of an example",
    .levels = 1,
    .classes = true,
    .listed = true,
    .metrics = metrics,
    .measure = "micro_f1",
    .check = classes_check,
    .loss = loss,
    .measures = measures,
    .write = write,
    .look = look,
    .scalar = classes_scalar, /* the logit of the likeliest label */
};
