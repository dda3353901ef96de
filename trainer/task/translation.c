/* translation.c - a sequence of words for a sequence of words: cross-entropy of each word, given the true words before
 * it. Whatever a corpus of sources and targets means: translations, summaries, corrections, answers. */
#include "trainer/op/op.h"
#include "trainer/task/task.h"

typedef struct Translation {
    double label_smoothing;
    TextList texts;
} Translation;

static const Field fields[] = {
    FIELD(Translation, label_smoothing, .preset = "0", .min = 0, .max = 0.9,
          .help = "Share of each target word that is spread evenly over all words."),
    FIELD(Translation, texts, .preset = "[bleu]", .choice = metric_text, .effect = EFFECT_EXTENT,
          .help = "Measures of the text of what is decoded (eval.decode)."),
};

/* Of what is decoded: exact, the texts' measures, and the others. */
static Status open(Task *t, const Corpus *corpus)
{
    const TextList *texts = &((const Translation *)t->settings)->texts;
    static const char *const others[] = {"length", "cut", "aer"};
    const char **name;
    int n = 0;
    (void)corpus;
    TRY_NEW(name, t->run, 1 + texts->n + COUNT(others) + 1);
    name[n++] = "exact";
    for (int i = 0; i < texts->n; i++) name[n++] = texts->item[i];
    for (int i = 0; i < COUNT(others); i++) name[n++] = others[i];
    t->outputs = name;
    return OK;
}

static Status check(const Task *t, const Prediction *p, const Batch *b)
{
    const PredictionWords *k = &p->words;
    REQUIRE(k->x && k->w && k->target && p->seq.n == b->B && k->x->shape.d[0] == p->seq.offset[b->B], ERR_INTERNAL,
            "the words of %lld examples wanted, of %lld there", (long long)b->B, (long long)p->seq.n);
    REQUIRE(k->w->shape.d[0] == t->metrics.shape.classes, ERR_INTERNAL, "logits of %lld words wanted, of %lld there",
            (long long)t->metrics.shape.classes, (long long)k->w->shape.d[0]);
    return OK;
}

static int64_t weight(const Prediction *p, const Batch *b) { return p->seq.offset[b->B]; }

/* each: (positions) out, -log p of each; NULL: no memory. */
static Node *loss_of_each(const Task *t, Tape *tape, const Prediction *p, real **each)
{
    const Translation *set = t->settings;
    const PredictionWords *k = &p->words;
    *each = tape_alloc(tape, (size_t)p->seq.offset[p->seq.n] * sizeof **each);
    return op_output_loss(tape, k->x, k->w, k->bias, k->target, set->label_smoothing, *each);
}

static Node *loss(Task *t, Tape *tape, const Prediction *p, const Batch *b)
{
    real *each;
    Node *y = loss_of_each(t, tape, p, &each);
    (void)b;
    prediction_reward(p, tape, each);
    return y;
}

static Status measures(const Task *t, Tape *tape, const Prediction *p, const Batch *b, Counts *counts)
{
    const PredictionWords *k = &p->words;
    const int64_t N = p->seq.offset[b->B];
    double *cost = tape_alloc(tape, (size_t)N * sizeof *cost);
    int32_t *guess = tape_alloc(tape, (size_t)N * sizeof *guess);
    op_output_rows(tape, k->x, k->w, k->bias, k->target, cost, guess);
    TRY(tape_status(tape));
    for (int64_t r = 0; k->more && r < N; r++) cost[r] += k->more[r];
    for (int64_t i = 0; i < b->B; i++) {
        const int64_t first = p->seq.offset[i], n = p->seq.offset[i + 1] - first;
        MetricExample e = {.truth = {.n = n, .id = k->target + first}, .guess = {.n = n, .id = guess + first}};
        e.n_losses = n;
        e.loss = cost + first;
        TRY(task_add(t, tape, b, i, &e, counts));
    }
    return OK;
}

static Status look(Task *t, Tape *tape, const Prediction *p, const Batch *b, Arena *keep, TaskLook *out)
{
    real *each;
    double *cost;
    (void)b;
    (void)loss_of_each(t, tape, p, &each);
    TRY(tape_status(tape));
    out->n_losses = p->seq.offset[p->seq.n];
    TRY_NEW(cost, keep, out->n_losses + 1);
    for (int64_t i = 0; i < out->n_losses; i++) cost[i] = (double)each[i];
    out->loss = cost;
    return OK;
}

/* The words of the target and its end. */
static int64_t outcomes(const Task *t, const Batch *b)
{
    (void)t;
    const Ragged *target = batch_role(b, ROLE_TARGET);
    return target && target->field->levels == 1 ? target->count[1] + 1 : 1;
}

/* Copy j gives log p of its word j: the rows of all other positions are left out. */
static Node *scalar(const Task *t, Tape *tape, const Prediction *p)
{
    const PredictionWords *k = &p->words;
    const int64_t n = p->seq.n;
    int32_t *row = tape_alloc(tape, (size_t)n * sizeof *row), *target = tape_alloc(tape, (size_t)n * sizeof *target);
    (void)t;
    if (!target) return k->x;
    for (int64_t j = 0; j < n; j++) {
        row[j] = (int32_t)(p->seq.offset[j] + j);
        target[j] = k->target[row[j]];
    }
    Node *logits = op_linear_nt(tape, op_gather(tape, k->x, n, row), k->w);
    if (k->bias) logits = op_add_row(tape, logits, op_reshape(tape, k->bias, SHAPE1(shape_count(&k->bias->shape))));
    return op_scale(tape, op_cross_entropy(tape, logits, target, NULL, 0), -1);
}

static const char *const metrics[] = {"loss", "perplexity", "tokens", "sequences", NULL};

const TaskDef task_def_translation = {
    .component = {.name = "translation",
                  .help = "A sequence of words for each sequence: translations, summaries, corrections.",
                  .source = "Sutskever et al. 2014",
                  ROWS(fields, Translation)},
    .kind = PREDICTION_WORDS,
    .target = "one sequence of words an example",
    .levels = 1,
    .classes = true,
    .positions = true,
    .ends = 1,
    .metrics = metrics,
    .measure = "loss",
    .open = open,
    .check = check,
    .loss = loss,
    .weight = weight,
    .measures = measures,
    .look = look,
    .outcomes = outcomes,
    .scalar = scalar,
};
