/* Gradients of memory networks over all parameters, in several settings; logits as plain loops have them. */
#include <stdio.h>

#include "component.h"
#include "gradient.h"
#include "model_data.h"
#include "packed.h"
#include "trainer/model/model.h"

enum { WORDS = 7, LABELS = 4, SETTINGS_BYTES = 512 };

typedef struct Story {
    Arena run;
    Params params;
    Model *model;
    Batch batch;
    Packed story, question;
    int64_t example[4];
    _Alignas(16) char settings[SETTINGS_BYTES];
} Story;

static const int32_t answer[] = {3, 0, 1};
static const int32_t answer_word[LABELS] = {5, -1, 2, 6}; /* label 1 is not a word */

static void open(Story *s, const char *const *set)
{
    *s = (Story){0};
    s->params.arena = &s->run;
    const Component *c = component_find(model_choice, "memn2n");
    assert_true(c->size <= sizeof s->settings);
    component_settings(c, s->settings, set);
    const ModelData data = {MODEL_DATA(WORDS, LABELS, 0, 0), .answer_word = answer_word};
    CHECK_OK(model_build(&s->model, &s->run, &s->params, c, s->settings, &data));
    CHECK_OK(params_allocate(&s->params, 3));
    CHECK_OK(model_init(s->model));
    for (int i = 0; i < 3; i++) s->example[i] = 10 + i;
    s->batch = (Batch){.B = 3, .all = 3, .example = s->example, .n_fields = 2};
    s->batch.field[0] = packed_field(&s->story, "story", 2, "1 2 3/4/2 2/|5/|6 1/0 3/");
    s->batch.field[1] = packed_field(&s->question, "question", 1, "1 4|3|2 5 6");
}

static Node *loss(Tape *t, void *context)
{
    Story *s = context;
    Prediction out;
    model_forward(s->model, t, &s->batch, &out);
    return op_cross_entropy(t, out.scores, answer, NULL, 0);
}

static void check(const char *const *set)
{
    Story s;
    open(&s, set);
    gradient_check_params(&s.params, loss, &s, 1e-8);
    arena_close(&s.run);
}

/* Larger initial values than the preset, so that softmax and products matter. */
#define LARGE "init", "0.7", "dim", "4"

TEST(gradient_of_adjacent_tying) { check((const char *const[]){LARGE, NULL}); }

TEST(gradient_of_layerwise_tying)
{
    check((const char *const[]){LARGE, "tying", "layerwise", "nonlinear", "relu", NULL});
    check((const char *const[]){LARGE, "tying", "layerwise", "answer", "free", "temporal", "false", NULL});
}

TEST(gradient_of_other_settings)
{
    check((const char *const[]){LARGE, "encoding", "bow", "hops", "1", "noise", "0", NULL});
    check((const char *const[]){LARGE, "nonlinear", "half", "memory", "2", NULL});
    check(
        (const char *const[]){LARGE, "tying", "layerwise", "hops", "10", "dim", "2", NULL}); /* many uses of A and C */
    check((const char *const[]){LARGE, "linear_start", "true", "noise", "0.6", "hops", "2", NULL});
}

/* The formulas of the paper in plain loops, for one example: 3 hops, adjacent tying, position encoding, times. */
static void reference(const Story *s, int64_t b, double *logits)
{
    enum { D = 4, HOPS = 3, MOST = 8 };
    const Ragged *story = &s->batch.field[0], *question = &s->batch.field[1];
    const int64_t first = story->offset[0][b], n = story->offset[0][b + 1] - first;
    const real *E[HOPS + 1], *T[HOPS + 1];
    for (int k = 0; k <= HOPS; k++) {
        char name[32];
        snprintf(name, sizeof name, "memory/E%d", k);
        E[k] = params_find(&s->params, name)->value;
        snprintf(name, sizeof name, "memory/T%d", k);
        T[k] = params_find(&s->params, name)->value;
    }
#define ENCODE(j, J, k) ((1 - (double)(j) / (double)(J)) - ((double)(k) / D) * (1 - 2.0 * (double)(j) / (double)(J)))
    double u[D] = {0};
    const int64_t q = question->offset[0][b], J = question->offset[0][b + 1] - q;
    for (int64_t j = 1; j <= J; j++)
        for (int k = 1; k <= D; k++) u[k - 1] += ENCODE(j, J, k) * (double)E[0][question->id[q + j - 1] * D + k - 1];
    for (int hop = 0; hop < HOPS; hop++) {
        double in[MOST][D], out[MOST][D], p[MOST], sum = 0;
        for (int64_t i = 0; i < n; i++) {
            const int64_t w = story->offset[1][first + i], words = story->offset[1][first + i + 1] - w;
            double e = 0;
            for (int k = 1; k <= D; k++) {
                in[i][k - 1] = (double)T[hop][(n - 1 - i) * D + k - 1];
                out[i][k - 1] = (double)T[hop + 1][(n - 1 - i) * D + k - 1];
                for (int64_t j = 1; j <= words; j++) {
                    const int64_t at = story->id[w + j - 1] * D + k - 1;
                    in[i][k - 1] += ENCODE(j, words, k) * (double)E[hop][at];
                    out[i][k - 1] += ENCODE(j, words, k) * (double)E[hop + 1][at];
                }
                e += u[k - 1] * in[i][k - 1];
            }
            sum += p[i] = exp(e);
        }
        for (int64_t i = 0; i < n; i++)
            for (int k = 0; k < D; k++) u[k] += p[i] / sum * out[i][k];
    }
    for (int a = 0; a < LABELS; a++) {
        const real *row =
            answer_word[a] >= 0 ? E[HOPS] + answer_word[a] * D : params_find(&s->params, "answer/W")->value;
        logits[a] = 0;
        for (int k = 0; k < D; k++) logits[a] += u[k] * (double)row[k];
    }
}

TEST(logits_are_those_of_the_formulas)
{
    Story s;
    open(&s, (const char *const[]){LARGE, NULL});
    Arena step = {0};
    Tape t = tape_begin(&step);
    Prediction out;
    model_forward(s.model, &t, &s.batch, &out);
    CHECK_OK(tape_status(&t));
    assert_int_equal(out.scores->shape.d[0], 3);
    assert_int_equal(out.scores->shape.d[1], LABELS);
    for (int64_t b = 0; b < 3; b++) {
        double want[LABELS];
        reference(&s, b, want);
        for (int a = 0; a < LABELS; a++) CHECK_NEAR(out.scores->value[b * LABELS + a], want[a], 1e-13);
    }
    arena_close(&step);
    arena_close(&s.run);
}

TEST(linear_start_ends_when_the_validation_loss_rises)
{
    Story s;
    open(&s, (const char *const[]){LARGE, "linear_start", "true", NULL});
    assert_int_equal(s.model->def->n_memory, 2);
    assert_false(model_validated(s.model, 1, 2.0));
    assert_false(model_validated(s.model, 2, 1.5));
    CHECK(s.model->memory[0] == 1, "the softmax is there too early");
    assert_true(model_validated(s.model, 3, 1.5));
    CHECK(s.model->memory[0] == 0, "the softmax is not there");
    assert_false(model_validated(s.model, 4, 9));
    arena_close(&s.run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(gradient_of_adjacent_tying), RUN(gradient_of_layerwise_tying),
                                       RUN(gradient_of_other_settings), RUN(logits_are_those_of_the_formulas),
                                       RUN(linear_start_ends_when_the_validation_loss_rises)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
