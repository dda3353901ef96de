/* task.c - the table of tasks; fields of the corpus, loss and measures. */
#include "trainer/task/task_parts.h"

#include <math.h>
#include <string.h>

#include "trainer/op/op.h"

extern const TaskDef task_classification, task_answer, task_translation;

static const TaskDef *const table[] = {&task_classification, &task_answer, &task_translation};

const Component *task_choice(int i) { return i >= 0 && i < COUNT(table) ? &table[i]->component : NULL; }

static Status names_of(const char *const **out, Arena *run, const Vocab *v)
{
    const char **name;
    TRY_NEW(name, run, vocab_size(v) + 1);
    for (int64_t i = 0; i < vocab_size(v); i++) name[i] = vocab_word(v, i);
    *out = name;
    return OK;
}

static Status read_target(Task *t, MetricShape *shape, const Corpus *corpus)
{
    const char *field = t->def->target;
    const DataField *f = corpus_field(corpus, field);
    REQUIRE(f, ERR_DATA, "%s: the corpus has no field \"%s\", which task %s predicts", t->where, field,
            t->def->component.name);
    REQUIRE(f->levels == t->def->levels && f->type == FIELD_IDS, ERR_DATA, "%s: field \"%s\" must be %s", t->where,
            field, t->def->levels ? "one sequence of words an example" : "one label an example");
    const Vocab *v = corpus_vocab(corpus, f->vocab);
    REQUIRE(v, ERR_DATA, "%s: field \"%s\" has no vocabulary", t->where, field);
    REQUIRE(vocab_size(v) == shape->classes, ERR_CONFIG,
            "task %s predicts field \"%s\" of %s, which has %lld labels, but the model makes %lld",
            t->def->component.name, field, t->where, (long long)vocab_size(v), (long long)shape->classes);
    if (t->def->levels > 0) return OK; /* words are neither listed one by one, nor is an unknown one always wrong */
    shape->unknown = vocab_special(v) ? VOCAB_UNK : -1; /* rare and new values are no answer */
    return names_of(&shape->class_name, t->run, v);
}

static Status read_group(Task *t, MetricShape *shape, const Corpus *corpus)
{
    const DataField *f = corpus_field(corpus, t->group);
    REQUIRE(f, ERR_CONFIG, "task.group: the corpus %s has no field \"%s\"; none: no groups", t->where, t->group);
    REQUIRE(f->levels == 0 && f->type == FIELD_IDS, ERR_CONFIG,
            "task.group: field \"%s\" of %s is not one number an "
            "example",
            t->group, t->where);
    const Vocab *v = f->vocab[0] ? corpus_vocab(corpus, f->vocab) : NULL;
    shape->groups = v ? vocab_size(v) : TASK_GROUPS;
    return v ? names_of(&shape->group_name, t->run, v) : OK;
}

Status task_open(Task **out, Arena *run, const char *name, const void *settings, const ModelData *data,
                 const Corpus *corpus)
{
    Task *t;
    TRY_NEW(t, run, 1);
    *t = (Task){.settings = settings, .run = run, .where = corpus ? corpus_folder(corpus) : "the batch"};
    for (int i = 0; i < COUNT(table); i++)
        if (strcmp(table[i]->component.name, name) == 0) t->def = table[i];
    REQUIRE(t->def, ERR_INTERNAL, "%s is not a task", name);
    t->metrics.shape = (MetricShape){.classes = data->labels, .groups = 1, .unknown = -1};
    MetricShape *shape = &t->metrics.shape;
    if (corpus) TRY(read_target(t, shape, corpus));
    if (t->def->open) TRY(t->def->open(t, corpus));
    if (corpus && t->group) TRY(read_group(t, shape, corpus));
    if (!corpus) t->group = NULL;
    const MetricShape keep = *shape;
    TRY(metric_open(&t->metrics, &keep, t->def->metrics));
    *out = t;
    return OK;
}

/* The ids of a field with one value an example, all within 0..limit-1. */
static Status field_ids(const int32_t **out, const Task *t, const Batch *b, const char *field, int64_t limit)
{
    const Ragged *r = batch_field(b, field);
    REQUIRE(r && r->id && r->field->levels == 0 && r->count[0] == b->B, ERR_DATA,
            "%s: the batch has no field \"%s\" with one value an example", t->where, field);
    for (int64_t i = 0; i < b->B; i++)
        REQUIRE(r->id[i] >= 0 && r->id[i] < limit, ERR_DATA, "%s: example %lld: %s is %d, but must be 0 to %lld",
                t->where, (long long)b->example[i], field, (int)r->id[i], (long long)limit - 1);
    *out = r->id;
    return OK;
}

static Status find_target(const int32_t **target, const Task *t, const ModelOutput *out, const Batch *b)
{
    if (t->def->levels > 0) return task_words(target, t, out, b);
    const int64_t C = t->metrics.shape.classes;
    REQUIRE(out->logits, ERR_CONFIG, "task %s names one label an example, but the model makes sequences of words",
            t->def->component.name);
    const Shape *s = &out->logits->shape;
    REQUIRE(s->n == 2 && s->d[0] == b->B && s->d[1] == C, ERR_INTERNAL,
            "logits of %lld examples and %lld classes wanted", (long long)b->B, (long long)C);
    return field_ids(target, t, b, t->def->target, C);
}

Node *task_loss(Task *t, Tape *tape, const ModelOutput *out, const Batch *b)
{
    const int32_t *target = NULL;
    Status st = tape_status(tape);
    if (st == OK) st = find_target(&target, t, out, b);
    if (st != OK) {
        tape_fail(tape, st);
        return tape_leaf(tape, SHAPE1(0), NULL, NULL);
    }
    Node *loss = t->def->loss(t, tape, out, target);
    return out->penalty ? op_add(tape, loss, out->penalty) : loss;
}

int64_t task_weight(const Task *t, const ModelOutput *out, const Batch *b)
{
    return t->def->levels > 0 && out->tokens ? out->tokens->seq.offset[b->B] : b->B;
}

Status task_counts(const Task *t, Arena *arena, Counts **out) { return counts_open(out, arena, t->metrics.counters); }

/* -log softmax(x)_truth, in double, so that it hangs on the row alone. */
static double row_loss(const real *x, int64_t C, int32_t truth, int32_t *guess)
{
    int64_t best = 0;
    for (int64_t c = 1; c < C; c++)
        if (x[c] > x[best]) best = c;
    *guess = (int32_t)best;
    double sum = 0;
    for (int64_t c = 0; c < C; c++) sum += exp((double)x[c] - (double)x[best]);
    return log(sum) + (double)x[best] - (double)x[truth];
}

Status task_measure(const Task *t, Tape *tape, const ModelOutput *out, const Batch *b, Counts *counts)
{
    if (t->def->levels > 0) return task_measure_words(t, tape, out, b, counts);
    const int64_t C = t->metrics.shape.classes;
    const int32_t *truth, *group = NULL;
    TRY(find_target(&truth, t, out, b));
    if (t->group) TRY(field_ids(&group, t, b, t->group, t->metrics.shape.groups));
    for (int64_t i = 0; i < b->B; i++) {
        MetricExample e = {.truth = truth[i], .group = group ? group[i] : 0};
        e.loss = row_loss(out->logits->value + i * C, C, truth[i], &e.guess);
        metric_add(&t->metrics, counts, &e);
    }
    return OK;
}

Status task_report(const Task *t, const Counts *counts, Measures *out)
{
    return metric_report(&t->metrics, counts, out);
}

const int64_t *task_confusion(const Task *t, const Counts *counts)
{
    return metric_counters(&t->metrics, counts, "confusion");
}
