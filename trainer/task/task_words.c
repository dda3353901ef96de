/* task_words.c - sequences: what the model hands over is checked, and each position is measured. */
#include "trainer/op/op.h"
#include "trainer/task/task_parts.h"

Status task_words(const int32_t **out, const Task *t, const ModelOutput *o, const Batch *b)
{
    const ModelTokens *k = o->tokens;
    REQUIRE(k, ERR_CONFIG, "task %s predicts a sequence of words, but the model names one label an example",
            t->def->component.name);
    REQUIRE(k->x && k->w && k->target && k->seq.n == b->B && k->x->shape.d[0] == k->seq.offset[b->B], ERR_INTERNAL,
            "the words of %lld examples wanted, of %lld there", (long long)b->B, (long long)k->seq.n);
    REQUIRE(k->w->shape.d[0] == t->metrics.shape.classes, ERR_INTERNAL, "logits of %lld words wanted, of %lld there",
            (long long)t->metrics.shape.classes, (long long)k->w->shape.d[0]);
    *out = k->target;
    return OK;
}

static void count_sequence(const Task *t, const ModelTokens *k, int64_t b, const double *loss, const int32_t *guess,
                           Counts *counts)
{
    bool all_right = true;
    const int64_t end = k->seq.offset[b + 1];
    for (int64_t r = k->seq.offset[b]; r < end; r++) {
        const double more = k->more ? k->more[r] : 0;
        MetricExample e = {.truth = k->target[r], .guess = guess[r], .loss = loss[r] + more, .last = r == end - 1};
        all_right = all_right && metric_right(&t->metrics.shape, &e);
        e.all_right = all_right;
        metric_add(&t->metrics, counts, &e);
    }
}

Status task_measure_words(const Task *t, Tape *tape, const ModelOutput *out, const Batch *b, Counts *counts)
{
    const ModelTokens *k = out->tokens;
    const int32_t *target = NULL;
    TRY(task_words(&target, t, out, b));
    const int64_t N = k->seq.offset[b->B];
    double *loss = tape_alloc(tape, (size_t)N * sizeof *loss);
    int32_t *guess = tape_alloc(tape, (size_t)N * sizeof *guess);
    op_output_rows(tape, k->x, k->w, k->bias, target, loss, guess);
    TRY(tape_status(tape));
    for (int64_t i = 0; i < b->B; i++) count_sequence(t, k, i, loss, guess, counts);
    return OK;
}
