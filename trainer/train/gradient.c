/* gradient.c - one pass forward and back. */
#include "trainer/train/gradient.h"

#include <math.h>
#include <stdio.h>

static const double UNIT = 4294967296.0; /* 2^32 */

double gradient_mean_loss(const LossSum *sum)
{
    return sum->weight ? (double)sum->loss / UNIT / (double)sum->weight : (double)NAN;
}

/* The sums of all ranks are added too: each may have its part of what an integer holds. A training that diverged comes
 * to that end, and its loss says "at least". */
void gradient_sum_loss(LossSum *to, const LossSum *sum, int ranks)
{
    const int64_t most = INT64_MAX / ranks;
    to->examples += sum->examples;
    to->tokens += sum->tokens;
    to->weight += sum->weight;
    to->loss = to->loss > most - sum->loss ? most : to->loss + sum->loss;
}

static int64_t count_tokens(const Session *s, const Batch *b)
{
    int64_t tokens = 0;
    for (int i = 0; i < s->model->n_needs; i++) {
        const Ragged *r = model_read(&s->model->need[i], b);
        if (r) tokens += r->count[r->field->levels];
    }
    return tokens;
}

/* Which examples, as "12, 907, 3 ... (32 examples)". */
static void name_examples(const Batch *b, char *text, size_t size)
{
    int used = 0;
    for (int64_t i = 0; i < b->B && i < 8 && used >= 0 && (size_t)used < size; i++)
        used += snprintf(text + used, size - (size_t)used, "%s%lld", i ? ", " : "", (long long)b->example[i]);
    if (used >= 0 && (size_t)used < size && b->B > 8)
        snprintf(text + used, size - (size_t)used, " ... (%lld examples)", (long long)b->B);
}

static Status not_finite(const Tape *t, const Batch *b, const char *what)
{
    char examples[256];
    name_examples(b, examples, sizeof examples);
    const Node *n = tape_first_nonfinite(t);
    const char *op = !n ? "the sum" : n->op ? n->op->name : "parameter";
    FAIL(ERR_CHECK, "step %llu: the %s is not finite; it first appears in %s%s%s; examples %s",
         (unsigned long long)t->step, what, op, n && n->label ? " " : "", n && n->label ? n->label : "", examples);
}

Status gradient_add(Session *s, const Batch *b, uint64_t step, LossSum *sum)
{
    if (b->B == 0) return OK;
    Tape t = tape_begin(&s->step);
    t.train = true;
    t.seed = s->seed;
    t.step = step;
    Prediction out = {0};
    model_forward(s->model, &t, b, &out);
    Node *loss = task_loss(s->task, &t, &out, b);
    TRY(tape_status(&t));
    if (!isfinite(loss->value[0])) return not_finite(&t, b, "loss");
    TRY(tape_backward(&t, loss, 1));
    const int ranks = comm_size(s->comm);
    const double units = fmin((double)loss->value[0] * UNIT, (double)(INT64_MAX / 2 / ranks));
    const LossSum here = {.examples = b->B,
                          .tokens = count_tokens(s, b),
                          .weight = task_weight(s->task, &out, b),
                          .loss = (int64_t)llround(units)};
    gradient_sum_loss(sum, &here, ranks);
    return OK;
}
