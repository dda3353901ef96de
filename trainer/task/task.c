/* task.c - the table of tasks; fields of the corpus, and what holds for each of them. */
#include "trainer/task/task.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/import/import.h"
#include "trainer/op/op.h"

/* One line per task. Its definition is in <name>.c. */
#define TASKS(X)                                                                                                       \
    X(classification)                                                                                                  \
    X(answer)                                                                                                          \
    X(choice)                                                                                                          \
    X(labels)                                                                                                          \
    X(tagging)                                                                                                         \
    X(translation)                                                                                                     \
    X(regression)

#define DECLARE(name) extern const TaskDef task_def_##name;
#define ROW(name)     &task_def_##name.component,
TASKS(DECLARE)
static const Component *const tasks[] = {TASKS(ROW) NULL};

const Component *task_choice(int i) { return tasks[i]; }

/* A component of this family is the first member of its definition. */
const TaskDef *task_find(const char *name) { return (const TaskDef *)(const void *)schema_find(task_choice, name); }

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
    const TaskDef *def = t->def;
    const DataField *f = corpus_role(corpus, ROLE_TARGET);
    REQUIRE(f, ERR_DATA, "%s: the corpus has no target, which task %s predicts", t->where, def->component.name);
    REQUIRE(f->levels == def->levels && f->type == def->type, ERR_DATA, "%s: field \"%s\" must be %s", t->where,
            f->name, def->target);
    if (!def->classes) return OK;
    const Vocab *v = corpus_vocab(corpus, f->vocab);
    REQUIRE(v, ERR_DATA, "%s: field \"%s\" has no vocabulary", t->where, f->name);
    REQUIRE(vocab_size(v) == shape->classes, ERR_CONFIG,
            "task %s predicts field \"%s\" of %s, which has %lld labels, but the model makes %lld", def->component.name,
            f->name, t->where, (long long)vocab_size(v), (long long)shape->classes);
    if (!def->listed) return OK;
    shape->unknown = vocab_special(v) ? VOCAB_UNK : -1; /* rare and new values are no answer */
    return names_of(&shape->class_name, t->run, v);
}

const char *task_group(const char *setting, const Corpus *corpus)
{
    const DataField *own = corpus ? corpus_role(corpus, ROLE_GROUP) : NULL;
    if (!setting) return own ? own->name : NULL;
    return strcmp(setting, "none") == 0 ? NULL : setting;
}

/* Numbers that the importer has names for. */
static Status group_names(const char *const **out, Arena *run, const char *importer)
{
    const char **name;
    TRY_NEW(name, run, TASK_GROUPS);
    for (int g = 0; g < TASK_GROUPS; g++) name[g] = import_group(importer, g);
    *out = name;
    return OK;
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
    return v ? names_of(&shape->group_name, t->run, v) : group_names(&shape->group_name, t->run, corpus_source(corpus));
}

Status task_open(Task **out, Arena *run, const char *name, const void *settings, const ModelData *data,
                 const Corpus *corpus)
{
    Task *t;
    TRY_NEW(t, run, 1);
    *t = (Task){.def = task_find(name),
                .settings = settings,
                .run = run,
                .where = corpus ? corpus_folder(corpus) : "the batch"};
    REQUIRE(t->def, ERR_INTERNAL, "%s is not a task", name);
    t->metrics.shape = (MetricShape){.classes = model_words(data, ROLE_TARGET), .groups = 1, .unknown = -1};
    MetricShape *shape = &t->metrics.shape;
    if (corpus) TRY(read_target(t, shape, corpus));
    if (t->def->open) TRY(t->def->open(t, corpus));
    if (corpus && t->group) TRY(read_group(t, shape, corpus));
    if (!corpus) t->group = NULL;
    const MetricShape keep = *shape;
    TRY(metric_open(&t->metrics, run, &keep, t->def->metrics, NULL));
    *out = t;
    return OK;
}

Status task_id(const Task *t, const Batch *b, const char *field, int64_t example, int32_t id, int64_t limit)
{
    REQUIRE(id >= 0 && id < limit, ERR_DATA, "%s: example %lld: %s is %d, but must be 0 to %lld", t->where,
            (long long)b->example[example], field, (int)id, (long long)limit - 1);
    return OK;
}

Status task_ids(const int32_t **out, const Task *t, const Batch *b)
{
    const Ragged *r = batch_role(b, ROLE_TARGET);
    REQUIRE(r && r->id && r->field->levels == 0 && r->count[0] == b->B, ERR_DATA,
            "%s: the batch has no target with one value an example", t->where);
    for (int64_t i = 0; i < b->B; i++) TRY(task_id(t, b, r->field->name, i, r->id[i], t->metrics.shape.classes));
    *out = r->id;
    return OK;
}

Node *task_refuse(Tape *tape, Status st)
{
    tape_fail(tape, st);
    return tape_leaf(tape, SHAPE1(0), NULL, NULL);
}

static Status check(const Task *t, const Prediction *p, const Batch *b)
{
    REQUIRE(p->kind == t->def->kind, ERR_CONFIG, "task %s takes %s, but the model predicts %s", t->def->component.name,
            prediction_names((int)t->def->kind), prediction_names((int)p->kind));
    return t->def->check(t, p, b);
}

/* For what is asked on the tape: false when it has failed, now or before. */
static bool fits(const Task *t, Tape *tape, const Prediction *p, const Batch *b)
{
    if (tape_status(tape) != OK) return false;
    const Status st = check(t, p, b);
    if (st != OK) tape_fail(tape, st);
    return st == OK;
}

Node *task_loss(Task *t, Tape *tape, const Prediction *p, const Batch *b)
{
    if (!fits(t, tape, p, b)) return tape_leaf(tape, SHAPE1(0), NULL, NULL);
    Node *loss = t->def->loss(t, tape, p, b);
    return p->penalty ? op_add(tape, loss, p->penalty) : loss;
}

int64_t task_weight(const Task *t, const Prediction *p, const Batch *b)
{
    return t->def->weight ? t->def->weight(p, b) : b->B;
}

Status task_counts(const Task *t, Arena *arena, Counts **out) { return counts_open(out, arena, t->metrics.counters); }

Status task_add(const Task *t, Tape *tape, const Batch *b, int64_t i, MetricExample *e, Counts *counts)
{
    if (t->group) {
        const Ragged *r = batch_field(b, t->group);
        REQUIRE(r && r->id && r->field->levels == 0 && r->count[0] == b->B, ERR_DATA,
                "%s: the batch has no field \"%s\" with one value an example", t->where, t->group);
        TRY(task_id(t, b, t->group, i, r->id[i], t->metrics.shape.groups));
        e->group = r->id[i];
    }
    e->index = b->example[i];
    if (t->listener) TRY(t->listener->each(t->listener->context, b, i, e));
    return metric_add(&t->metrics, counts, e, tape->arena);
}

Status task_measure(const Task *t, Tape *tape, const Prediction *p, const Batch *b, Counts *counts)
{
    TRY(check(t, p, b));
    return t->def->measures(t, tape, p, b, counts);
}

Status task_report(const Task *t, const Counts *counts, Measures *out)
{
    return metric_report(&t->metrics, counts, out);
}

/* Classes that are shown: special words only where they came. */
static int64_t shown_classes(const Task *t, const int64_t *count, Arena *keep, int64_t **class)
{
    const MetricShape *s = &t->metrics.shape;
    int64_t n = 0;
    *class = arena_zeros(keep, s->classes + 1, sizeof **class);
    for (int64_t c = 0; *class && c < s->classes; c++) {
        const bool special = s->unknown >= 0 && c < VOCAB_SPECIALS;
        if (!special || count[CLASS_COUNTS * c + CLASS_TRUE] + count[CLASS_COUNTS * c + CLASS_GUESSED] > 0)
            (*class)[n++] = c;
    }
    return n;
}

static Status count_classes(const MetricShape *s, const int64_t *confusion, Arena *keep, const int64_t **out)
{
    int64_t *count;
    TRY_NEW(count, keep, CLASS_COUNTS * s->classes + 1);
    for (int64_t t = 0; t < s->classes; t++)
        for (int64_t g = 0; g < s->classes; g++) {
            const int64_t n = confusion[t * s->classes + g];
            count[CLASS_COUNTS * t + CLASS_TRUE] += n;
            count[CLASS_COUNTS * g + CLASS_GUESSED] += n;
            if (t == g && t != s->unknown) count[CLASS_COUNTS * t + CLASS_RIGHT] = n;
        }
    *out = count;
    return OK;
}

Status task_classes(const Task *t, const Counts *counts, Arena *keep, Classes *out)
{
    const MetricShape *s = &t->metrics.shape;
    const int64_t *confusion = metric_counters(&t->metrics, counts, "confusion");
    const int64_t *count = metric_counters(&t->metrics, counts, "f1"); /* CLASS_COUNTS of each class */
    int64_t *class, *by_class, *matrix = NULL;
    const char **name;
    *out = (Classes){0};
    if (!confusion && !count) return OK;
    if (confusion) TRY(count_classes(s, confusion, keep, &count));
    const int64_t n = shown_classes(t, count, keep, &class);
    TRY_NEW(name, keep, n + 1);
    TRY_NEW(by_class, keep, CLASS_COUNTS * n + 1);
    if (confusion) TRY_NEW(matrix, keep, n * n + 1);
    for (int64_t i = 0; i < n; i++) {
        name[i] = s->class_name ? s->class_name[class[i]] : arena_format(keep, "%lld", (long long)class[i]);
        REQUIRE(name[i], ERR_HOST, "%s", status_message());
        memcpy(by_class + CLASS_COUNTS * i, count + CLASS_COUNTS * class[i], CLASS_COUNTS * sizeof *count);
        for (int64_t k = 0; k < n && matrix; k++) matrix[i * n + k] = confusion[class[i] * s -> classes + class[k]];
    }
    *out = (Classes){.n = n, .name = name, .count = by_class, .confusion = matrix};
    return OK;
}

Status task_write(const Task *t, Tape *tape, const Prediction *p, const Batch *b, int64_t example, int64_t top, Json *j)
{
    REQUIRE(t->def->write, ERR_INTERNAL, "the answers of task %s are decoded", t->def->component.name);
    TRY(check(t, p, b));
    return t->def->write(t, tape, p, b, example, top, j);
}

Status task_look(Task *t, Tape *tape, const Prediction *p, const Batch *b, Arena *keep, TaskLook *out)
{
    *out = (TaskLook){0};
    TRY(check(t, p, b));
    return t->def->look(t, tape, p, b, keep, out);
}

int64_t task_outcomes(const Task *t, const Batch *b) { return t->def->outcomes ? t->def->outcomes(t, b) : 1; }

Node *task_scalar(const Task *t, Tape *tape, const Prediction *p)
{
    return tape_status(tape) == OK ? t->def->scalar(t, tape, p) : tape_leaf(tape, SHAPE1(0), NULL, NULL);
}

const char *task_truth(const Task *t, const Batch *b, int64_t example)
{
    const MetricShape *s = &t->metrics.shape;
    const Ragged *r = batch_role(b, ROLE_TARGET);
    if (!s->class_name || !r || r->field->levels != 0 || !r->id) return NULL;
    return r->id[example] >= 0 && r->id[example] < s->classes ? s->class_name[r->id[example]] : NULL;
}

double task_row_loss(const real *score, int64_t n, int64_t truth, int32_t *guess)
{
    int64_t best = 0;
    for (int64_t c = 1; c < n; c++)
        if (score[c] > score[best]) best = c;
    *guess = (int32_t)best;
    double sum = 0;
    for (int64_t c = 0; c < n; c++) sum += exp((double)score[c] - (double)score[best]);
    return log(sum) + (double)score[best] - (double)score[truth];
}

double task_row_probability(const real *score, int64_t truth, int32_t guess, double loss)
{
    return exp((double)score[guess] - (double)score[truth] - loss);
}

Status task_likely(const real *score, int64_t n, int64_t top, Arena *arena, TaskLikely *out)
{
    double *p, most = -INFINITY, sum = 0;
    out->n = top > 0 && top < n ? top : n;
    TRY_NEW(out->id, arena, out->n);
    TRY_NEW(out->probability, arena, out->n);
    TRY_NEW(p, arena, n);
    for (int64_t i = 0; i < n; i++) most = fmax(most, (double)score[i]);
    for (int64_t i = 0; i < n; i++) sum += p[i] = exp((double)score[i] - most);
    for (int64_t i = 0; i < n; i++) { /* insertion into the best: the first of equal ones stays first */
        int64_t at = i < out->n ? i : out->n;
        while (at > 0 && p[out->id[at - 1]] < p[i]) {
            if (at < out->n) out->id[at] = out->id[at - 1];
            at--;
        }
        if (at < out->n) out->id[at] = (int32_t)i;
    }
    for (int64_t i = 0; i < out->n; i++) out->probability[i] = p[out->id[i]] / sum;
    return OK;
}

Status task_names(const char *const *name, const TaskLikely *likely, Arena *keep, TaskLook *out)
{
    const char **list;
    TRY_NEW(list, keep, likely->n);
    for (int64_t i = 0; i < likely->n; i++) list[i] = name[likely->id[i]];
    *out = (TaskLook){.n = likely->n, .name = list, .probability = likely->probability};
    return OK;
}

Status task_join(int64_t n, const int32_t *id, const char *const *name, const char *between, Arena *keep,
                 const char **out)
{
    size_t size = 1;
    for (int64_t i = 0; i < n; i++) size += strlen(name[id[i]]) + strlen(between);
    char *text = arena_alloc(keep, size), *at = text;
    if (!text) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    *at = '\0';
    for (int64_t i = 0; i < n; i++) at += sprintf(at, "%s%s", i ? between : "", name[id[i]]);
    *out = text;
    return OK;
}
