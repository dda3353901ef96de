/* tagging.c - a tag for each position of an input: each for itself (softmax), or, where the model scores transitions,
 * the sequence as a whole (a conditional random field, crf.c). */
#include <math.h>
#include <string.h>

#include "trainer/op/op.h"
#include "trainer/task/task.h"

static Status check(const Task *t, const Prediction *p, const Batch *b)
{
    const Shape *s = &p->scores->shape;
    const int64_t K = t->metrics.shape.classes;
    REQUIRE(s->n == 2 && s->d[1] == K && p->seq.n == b->B && s->d[0] == p->seq.offset[b->B], ERR_INTERNAL,
            "scores of the positions of %lld examples and %lld tags wanted", (long long)b->B, (long long)K);
    return OK;
}

/* The tags (N) of all positions, each one of those that there are. */
static Status true_tags(const int32_t **out, const Task *t, const Prediction *p, const Batch *b)
{
    const Ragged *r = batch_role(b, ROLE_TARGET);
    const int64_t K = t->metrics.shape.classes;
    REQUIRE(r && r->id && r->field->levels == 1 && r->count[0] == b->B, ERR_DATA,
            "%s: the batch has no target with one tag a position", t->where);
    for (int64_t i = 0; i < b->B; i++) {
        const int64_t tags = r->offset[0][i + 1] - r->offset[0][i], places = p->seq.offset[i + 1] - p->seq.offset[i];
        REQUIRE(tags == places, ERR_DATA, "%s: example %lld has %lld tags in field \"%s\", but %lld positions",
                t->where, (long long)b->example[i], (long long)tags, r->field->name, (long long)places);
        for (int64_t k = r->offset[0][i]; k < r->offset[0][i + 1]; k++)
            TRY(task_id(t, b, r->field->name, i, r->id[k], K));
    }
    *out = r->id;
    return OK;
}

static Node *loss(Task *t, Tape *tape, const Prediction *p, const Batch *b)
{
    const int32_t *tag;
    const Status st = true_tags(&tag, t, p, b);
    if (st != OK) return task_refuse(tape, st);
    if (p->transitions) return op_crf_loss(tape, p->scores, p->transitions, tag, p->seq, NULL);
    return op_cross_entropy(tape, p->scores, tag, NULL, 0);
}

static int64_t weight(const Prediction *p, const Batch *b) { return p->seq.offset[b->B]; }

/* The likeliest tags (N). tag, cost (N): -log p of the true ones, that of a whole sequence at its first position; tag
 * may be NULL, then there is no cost. */
static Status guesses(Tape *tape, const Prediction *p, const int32_t *tag, int32_t *guess, double *cost)
{
    const int64_t N = p->scores->shape.d[0], K = p->scores->shape.d[1];
    if (p->transitions) {
        double *whole = tape_alloc(tape, (size_t)p->seq.n * sizeof *whole);
        op_crf_rows(tape, p->scores, p->transitions, tag, p->seq, tag ? whole : NULL, guess);
        TRY(tape_status(tape));
        for (int64_t r = 0; tag && r < N; r++) cost[r] = 0;
        for (int64_t i = 0; tag && i < p->seq.n; i++)
            if (p->seq.offset[i] < p->seq.offset[i + 1]) cost[p->seq.offset[i]] = whole[i];
        return OK;
    }
    for (int64_t r = 0; r < N; r++) {
        const double c = task_row_loss(p->scores->value + r * K, K, tag ? tag[r] : 0, &guess[r]);
        if (tag) cost[r] = c;
    }
    return OK;
}

static Status measures(const Task *t, Tape *tape, const Prediction *p, const Batch *b, Counts *counts)
{
    const int64_t N = p->seq.offset[b->B];
    const int32_t *tag;
    double *cost = tape_alloc(tape, (size_t)N * sizeof *cost), *said = NULL;
    int32_t *guess = tape_alloc(tape, (size_t)N * sizeof *guess);
    TRY(tape_status(tape));
    TRY(true_tags(&tag, t, p, b));
    TRY(guesses(tape, p, tag, guess, cost));
    if (t->listener) {
        said = tape_alloc(tape, (size_t)N * sizeof *said);
        TRY(tape_status(tape));
        TRY(guesses(tape, p, guess, guess, said));
    }
    for (int64_t i = 0; i < b->B; i++) {
        const int64_t first = p->seq.offset[i], n = p->seq.offset[i + 1] - first;
        MetricExample e = {.truth = {.n = n, .id = tag + first}, .guess = {.n = n, .id = guess + first}};
        e.n_losses = n;
        e.loss = cost + first;
        double nats = 0; /* -log p of the guess */
        for (int64_t r = first; said && r < first + n; r++) nats += said[r];
        e.probability = said ? exp(-nats) : 0;
        TRY(task_add(t, tape, b, i, &e, counts));
    }
    return OK;
}

/* The tags in order; what each, or all together, is likely to be. */
static Status write(const Task *t, Tape *tape, const Prediction *p, const Batch *b, int64_t example, int64_t top,
                    Json *j)
{
    const char *const *name = t->metrics.shape.class_name;
    const int64_t N = p->scores->shape.d[0], first = p->seq.offset[example], end = p->seq.offset[example + 1];
    double *cost = tape_alloc(tape, (size_t)N * sizeof *cost);
    int32_t *guess = tape_alloc(tape, (size_t)N * sizeof *guess);
    (void)b, (void)top;
    TRY(tape_status(tape));
    TRY(guesses(tape, p, NULL, guess, NULL));
    TRY(guesses(tape, p, guess, guess, cost)); /* and what they cost */
    json_key(j, "tags");
    json_open_array(j);
    for (int64_t r = first; r < end; r++) json_text(j, name[guess[r]]);
    json_end(j);
    if (p->transitions) {
        json_put_number(j, "probability", first < end ? exp(-cost[first]) : 1);
        return OK;
    }
    json_key(j, "probabilities");
    json_open_array(j);
    for (int64_t r = first; r < end; r++) json_number(j, exp(-cost[r]));
    json_end(j);
    return OK;
}

/* The tags with spaces between. */
static Status look(Task *t, Tape *tape, const Prediction *p, const Batch *b, Arena *keep, TaskLook *out)
{
    const char *const *name = t->metrics.shape.class_name;
    const int64_t n = p->seq.offset[1];
    int32_t *guess = tape_alloc(tape, (size_t)p->scores->shape.d[0] * sizeof *guess);
    (void)b;
    TRY(tape_status(tape));
    TRY(guesses(tape, p, NULL, guess, NULL));
    return task_join(n, guess, name, " ", keep, &out->said);
}

/* Of each position of the input: the score of the likeliest tag. */
static int64_t outcomes(const Task *t, const Batch *b)
{
    const Ragged *r = batch_role(b, ROLE_INPUT);
    (void)t;
    return r && r->field->levels == 1 && r->count[1] > 0 ? r->count[1] : 1;
}

static Node *scalar(const Task *t, Tape *tape, const Prediction *p)
{
    const int64_t K = p->scores->shape.d[1];
    real *chosen = tape_alloc(tape, (size_t)(p->scores->shape.d[0] * K) * sizeof *chosen);
    int32_t *guess = tape_alloc(tape, (size_t)p->scores->shape.d[0] * sizeof *guess);
    (void)t;
    if (!guess) return p->scores;
    const Status st = guesses(tape, p, NULL, guess, NULL);
    if (st != OK) return task_refuse(tape, st);
    memset(chosen, 0, (size_t)(p->scores->shape.d[0] * K) * sizeof *chosen);
    for (int64_t j = 0; j < p->seq.n; j++) {
        const int64_t row = p->seq.offset[j] + j;
        if (row < p->seq.offset[j + 1]) chosen[row * K + guess[row]] = 1;
    }
    return op_sum(tape, op_mul(tape, p->scores, tape_leaf(tape, p->scores->shape, chosen, NULL)));
}

static const char *const metrics[] = {"loss", "tokens", "spans", "exact", "confusion", NULL};

const TaskDef task_def_tagging = {
    .component = {.name = "tagging",
                  .help = "A tag for each position of an input, each alone or all of them as one sequence.",
                  .source = "Lafferty et al. 2001"},
    .kind = PREDICTION_TAGS,
    .target = "one tag for each position",
    .levels = 1,
    .classes = true,
    .listed = true,
    .positions = true,
    .metrics = metrics,
    .measure = "span_f1",
    .check = check,
    .loss = loss,
    .weight = weight,
    .measures = measures,
    .write = write,
    .look = look,
    .outcomes = outcomes,
    .scalar = scalar,
};
