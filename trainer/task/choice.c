/* choice.c - one of the candidates that an example has: words of a cloze, facts, sentences. The target names it: by its
 * word, where it has the candidates' vocabulary, or else by its place among them. */
#include <string.h>

#include "trainer/op/op.h"
#include "trainer/task/classes.h"

typedef struct Choice {
    const char *group;
} Choice;

static const Field fields[] = {
    FIELD(Choice, group, .preset = "auto", .none = "auto", .help = TASK_GROUP_HELP),
};

static Status open(Task *t, const Corpus *corpus)
{
    t->group = task_group(((const Choice *)t->settings)->group, corpus);
    if (!corpus) return OK;
    const DataField *f = corpus_role(corpus, ROLE_CANDIDATES);
    REQUIRE(f && f->levels == 1 && f->type == FIELD_IDS, ERR_DATA,
            "%s: task choice needs a field of candidates, one sequence of ids an example", t->where);
    t->vocab = f->vocab[0] ? corpus_vocab(corpus, f->vocab) : NULL;
    return OK;
}

/* The candidates are those of the batch. */
static Status check(const Task *t, const Prediction *p, const Batch *b)
{
    const Ragged *r = batch_role(b, ROLE_CANDIDATES);
    REQUIRE(r && r->id && r->field->levels == 1 && r->count[0] == b->B, ERR_DATA,
            "%s: the batch has no candidates of each example", t->where);
    REQUIRE(p->scores->shape.n == 1 && p->seq.n == b->B && p->scores->shape.d[0] == p->seq.offset[b->B], ERR_INTERNAL,
            "scores of the candidates of %lld examples wanted", (long long)b->B);
    for (int64_t i = 0; i < b->B; i++)
        REQUIRE(p->seq.offset[i + 1] == r->offset[0][i + 1], ERR_INTERNAL, "example %lld has other candidates",
                (long long)b->example[i]);
    return OK;
}

static bool by_word(const DataField *target, const DataField *candidates)
{
    return target->vocab[0] && strcmp(target->vocab, candidates->vocab) == 0;
}

/* place (B) of the right one among the example's candidates, the first of equal ones. */
static Status true_places(const Task *t, Tape *tape, const Batch *b, int32_t **place)
{
    const Ragged *r = batch_role(b, ROLE_TARGET), *c = batch_role(b, ROLE_CANDIDATES);
    REQUIRE(r && r->id && r->field->levels == 0 && r->count[0] == b->B, ERR_DATA,
            "%s: the batch has no target with one value an example", t->where);
    *place = tape_alloc(tape, (size_t)b->B * sizeof **place);
    TRY(tape_status(tape));
    for (int64_t i = 0; i < b->B; i++) {
        const int64_t first = c->offset[0][i], n = c->offset[0][i + 1] - first;
        int64_t k = r->id[i];
        if (by_word(r->field, c->field))
            for (k = 0; k < n && c->id[first + k] != r->id[i];) k++;
        REQUIRE(k >= 0 && k < n, ERR_DATA, "%s: example %lld: its %s is none of its %lld candidates", t->where,
                (long long)b->example[i], r->field->name, (long long)n);
        (*place)[i] = (int32_t)k;
    }
    return OK;
}

static Node *loss(Task *t, Tape *tape, const Prediction *p, const Batch *b)
{
    int32_t *place;
    const Status st = true_places(t, tape, b, &place);
    return st == OK ? op_segment_cross_entropy(tape, p->scores, p->seq, place) : task_refuse(tape, st);
}

static Status measures(const Task *t, Tape *tape, const Prediction *p, const Batch *b, Counts *counts)
{
    int32_t *place;
    TRY(true_places(t, tape, b, &place));
    for (int64_t i = 0; i < b->B; i++) {
        const int64_t first = p->seq.offset[i], n = p->seq.offset[i + 1] - first;
        int32_t guess;
        const double cost = task_row_loss(p->scores->value + first, n, place[i], &guess);
        MetricExample e = {.truth = {.n = 1, .id = &place[i]}, .guess = {.n = 1, .id = &guess}};
        e.n_losses = 1;
        e.loss = &cost;
        e.probability = task_row_probability(p->scores->value + first, place[i], guess, cost);
        TRY(task_add(t, tape, b, i, &e, counts));
    }
    return OK;
}

/* The likeliest of the example's candidates and their names: words, or places from 0. */
static Status likely(const Task *t, const Prediction *p, const Batch *b, int64_t example, int64_t top, Arena *arena,
                     TaskLikely *out, const char *const **names)
{
    const Ragged *c = batch_role(b, ROLE_CANDIDATES);
    const int64_t first = p->seq.offset[example], n = p->seq.offset[example + 1] - first;
    const char **name;
    REQUIRE(n > 0, ERR_DATA, "%s: example %lld has no candidates", t->where, (long long)b->example[example]);
    TRY(task_likely(p->scores->value + first, n, top, arena, out));
    TRY_NEW(name, arena, out->n);
    for (int64_t i = 0; i < out->n; i++) {
        const int32_t id = c->id[first + out->id[i]];
        name[i] = t->vocab ? vocab_word(t->vocab, id) : arena_format(arena, "%d", (int)out->id[i]);
        REQUIRE(name[i], ERR_HOST, "%s", status_message());
    }
    *names = name;
    return OK;
}

static Status write(const Task *t, Tape *tape, const Prediction *p, const Batch *b, int64_t example, int64_t top,
                    Json *j)
{
    TaskLikely l;
    const char *const *name;
    TRY(likely(t, p, b, example, top, tape->arena, &l, &name));
    json_put_text(j, "choice", name[0]);
    json_put_int(j, "place", l.id[0]);
    json_put_number(j, "probability", l.probability[0]);
    json_key(j, "candidates"); /* the same word may stand there twice: no keys */
    json_open_array(j);
    for (int64_t i = 0; i < l.n; i++) {
        json_open_object(j);
        json_put_text(j, "choice", name[i]);
        json_put_int(j, "place", l.id[i]);
        json_put_number(j, "probability", l.probability[i]);
        json_end(j);
    }
    json_end(j);
    return OK;
}

static Status look(Task *t, Tape *tape, const Prediction *p, const Batch *b, Arena *keep, TaskLook *out)
{
    TaskLikely l;
    (void)tape;
    TRY(likely(t, p, b, 0, TASK_SHOWN, keep, &l, &out->name));
    out->said = out->name[0];
    out->n = l.n;
    out->probability = l.probability;
    return OK;
}

static const char *const metrics[] = {"loss", "accuracy", "groups", NULL};

const TaskDef task_def_choice = {
    .component = {.name = "choice", .help = "One of the candidates that an example has.", ROWS(fields, Choice)},
    .kind = PREDICTION_CANDIDATES,
    .target = "one of the candidates of an example",
    .metrics = metrics,
    .measure = "accuracy",
    .open = open,
    .check = check,
    .loss = loss,
    .measures = measures,
    .write = write,
    .look = look,
    .scalar = classes_scalar,
};
