/* classes.c - one class an example: the likeliest is the guess. */
#include "trainer/task/classes.h"

#include "trainer/op/op.h"

Status classes_check(const Task *t, const Prediction *p, const Batch *b)
{
    const Shape *s = &p->scores->shape;
    const int64_t C = t->metrics.shape.classes;
    REQUIRE(s->n == 2 && s->d[0] == b->B && s->d[1] == C, ERR_INTERNAL,
            "logits of %lld examples and %lld classes wanted", (long long)b->B, (long long)C);
    return OK;
}

Node *classes_loss(const Task *t, Tape *tape, const Prediction *p, const Batch *b, double smoothing)
{
    const int32_t *target;
    const Status st = task_ids(&target, t, b);
    if (st != OK) return task_refuse(tape, st);
    return op_cross_entropy(tape, p->scores, target, t->weight, smoothing);
}

Status classes_measures(const Task *t, Tape *tape, const Prediction *p, const Batch *b, Counts *counts)
{
    const int64_t C = t->metrics.shape.classes;
    const int32_t *truth;
    TRY(task_ids(&truth, t, b));
    for (int64_t i = 0; i < b->B; i++) {
        int32_t guess;
        const double loss = task_row_loss(p->scores->value + i * C, C, truth[i], &guess);
        MetricExample e = {.truth = {.n = 1, .id = &truth[i]}, .guess = {.n = 1, .id = &guess}};
        e.n_losses = 1;
        e.loss = &loss;
        e.probability = task_row_probability(p->scores->value + i * C, truth[i], guess, loss);
        TRY(task_add(t, tape, b, i, &e, counts));
    }
    return OK;
}

Status classes_write(const Task *t, Tape *tape, const Prediction *p, const Batch *b, int64_t example, int64_t top,
                     Json *j)
{
    const MetricShape *s = &t->metrics.shape;
    TaskLikely likely;
    (void)b;
    TRY(task_likely(p->scores->value + example * s->classes, s->classes, top, tape->arena, &likely));
    json_put_text(j, "label", s->class_name[likely.id[0]]);
    json_put_number(j, "probability", likely.probability[0]);
    json_key(j, "probabilities");
    json_open_object(j);
    for (int64_t i = 0; i < likely.n; i++) json_put_number(j, s->class_name[likely.id[i]], likely.probability[i]);
    json_end(j);
    return OK;
}

Status classes_look(Task *t, Tape *tape, const Prediction *p, const Batch *b, Arena *keep, TaskLook *out)
{
    const MetricShape *s = &t->metrics.shape;
    TaskLikely likely;
    (void)tape, (void)b;
    TRY(task_likely(p->scores->value, s->classes, TASK_SHOWN, keep, &likely));
    TRY(task_names(s->class_name, &likely, keep, out));
    out->said = out->name[0];
    return OK;
}

Node *classes_scalar(const Task *t, Tape *tape, const Prediction *p)
{
    const int64_t n = shape_count(&p->scores->shape); /* of one example: classes, or its candidates */
    real *chosen = tape_alloc(tape, (size_t)n * sizeof *chosen);
    (void)t;
    if (!chosen) return p->scores;
    int64_t best = 0;
    for (int64_t c = 1; c < n; c++)
        if (p->scores->value[c] > p->scores->value[best]) best = c;
    for (int64_t c = 0; c < n; c++) chosen[c] = c == best;
    return op_sum(tape, op_mul(tape, p->scores, tape_leaf(tape, p->scores->shape, chosen, NULL)));
}
