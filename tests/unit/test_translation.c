/* The task of sequences on given features: loss, weight and measures by hand, and what it refuses. */
#include "check.h"
#include "model_data.h"
#include "trainer/task/task.h"

enum { B = 3, N = 6, D = 2, V = 5 };

static real x[N * D] = {1, 0, 0, 1, 2, -1, 1, 1, -1, 2, 0, 0};
static real w[V * D] = {0, 0, 3, 0, 0, 3, 1, 1, -2, 1}, bias[V] = {0, (real)0.5, 0, 0, 1};
static const int64_t offset[B + 1] = {0, 2, 5, 6}, number[B] = {0, 1, 2};
static const int32_t target[N] = {1, 2, 1, 2, 2, 3};
static const struct {
    double label_smoothing;
    TextList texts;
} smooth = {0.2, {0, NULL}}, sharp = {0, {0, NULL}};
static const ModelData data = {MODEL_DATA(9, V, 0, 0)};
static const Batch batch = {.B = B, .all = B, .example = number};

static double logit(int r, int c) { return (double)(x[r * D] * w[c * D] + x[r * D + 1] * w[c * D + 1] + bias[c]); }

static double plain_loss(int r, int y)
{
    double sum = 0;
    for (int c = 0; c < V; c++) sum += exp(logit(r, c));
    return log(sum) - logit(r, y);
}

static Prediction words(Tape *t)
{
    return (Prediction){.kind = PREDICTION_WORDS,
                        .words = {.x = tape_leaf(t, SHAPE2(N, D), x, NULL),
                                  .w = tape_leaf(t, SHAPE2(V, D), w, NULL),
                                  .bias = tape_leaf(t, SHAPE1(V), bias, NULL),
                                  .target = target},
                        .seq = {B, offset}};
}

/* What a model's own output is told: -log p of each word. */
static void told(Tape *t, void *context, const real *loss)
{
    (void)t;
    memcpy(context, loss, N * sizeof *loss);
}

TEST(the_loss_is_the_sum_over_all_words_and_the_weight_is_their_number)
{
    Arena a = {0};
    Task *t;
    real loss[N];
    CHECK_OK(task_open(&t, &a, "translation", &smooth, &data, NULL));
    Tape tape = tape_begin(&a);
    Prediction out = words(&tape);
    out.reward = told;
    out.context = loss;
    double want = 0;
    for (int r = 0; r < N; r++)
        for (int c = 0; c < V; c++) want += ((c == target[r] ? 0.8 : 0) + 0.2 / V) * plain_loss(r, c);
    CHECK_NEAR(task_loss(t, &tape, &out, &batch)->value[0], want, 1e-5);
    for (int r = 0; r < N; r++) CHECK_NEAR(loss[r], plain_loss(r, target[r]), 1e-6);
    assert_int_equal(task_weight(t, &out, &batch), N);
    CHECK_OK(tape_status(&tape));
    arena_close(&a);
}

TEST(measures_are_of_words_and_of_whole_sequences)
{
    Arena a = {0};
    Task *t;
    CHECK_OK(task_open(&t, &a, "translation", &sharp, &data, NULL));
    Tape tape = tape_begin(&a);
    const Prediction out = words(&tape);
    Counts *counts;
    CHECK_OK(task_counts(t, &a, &counts));
    CHECK_OK(task_measure(t, &tape, &out, &batch, counts));
    Measures m = {0};
    CHECK_OK(task_report(t, counts, &m));
    double sum = 0;
    int right = 0, whole = 0;
    for (int b = 0; b < B; b++) {
        bool all = true;
        for (int r = (int)offset[b]; r < offset[b + 1]; r++) {
            int best = 0;
            for (int c = 1; c < V; c++)
                if (logit(r, c) > logit(r, best)) best = c;
            sum += plain_loss(r, target[r]);
            right += best == target[r];
            all = all && best == target[r];
        }
        whole += all;
    }
    CHECK(right > 0 && right < N && whole > 0 && whole < B, "%d words, %d sequences: not a telling case", right, whole);
    CHECK_NEAR(measures_find(&m, "loss")->value, sum / N, 1e-6);
    CHECK_NEAR(measures_find(&m, "perplexity")->value, exp(measures_find(&m, "loss")->value), 1e-15);
    CHECK_NEAR(measures_find(&m, "token_accuracy")->value, (double)right / N, 1e-15);
    CHECK_NEAR(measures_find(&m, "sequence_accuracy")->value, (double)whole / B, 1e-15);
    CHECK_NEAR(measures_find(&m, "tokens")->value, N, 0);
    CHECK_NEAR(measures_find(&m, "examples")->value, B, 0);
    CHECK(!measures_find(&m, t->def->measure)->higher, "a lower loss is better");
    arena_close(&a);
}

TEST(what_a_position_costs_besides_counts)
{
    static const double more[N] = {0, 0.25, 0, 0, 1.5, 0};
    Arena a = {0};
    Task *t;
    Counts *counts;
    double loss[2];
    CHECK_OK(task_open(&t, &a, "translation", &sharp, &data, NULL));
    Tape tape = tape_begin(&a);
    Prediction k = words(&tape);
    for (int i = 0; i < 2; i++) {
        Measures m = {0};
        if (i == 1) k.words.more = more;
        CHECK_OK(task_counts(t, &a, &counts));
        CHECK_OK(task_measure(t, &tape, &k, &batch, counts));
        CHECK_OK(task_report(t, counts, &m));
        loss[i] = measures_find(&m, "loss")->value;
    }
    CHECK_NEAR(loss[1] - loss[0], 1.75 / N, 1e-6);
    arena_close(&a);
}

/* Each example in a batch of its own: the same integers. */
TEST(counts_do_not_depend_on_the_batch)
{
    Arena a = {0};
    Task *t;
    Counts *all, *parts;
    CHECK_OK(task_open(&t, &a, "translation", &sharp, &data, NULL));
    CHECK_OK(task_counts(t, &a, &all));
    CHECK_OK(task_counts(t, &a, &parts));
    Tape tape = tape_begin(&a);
    Prediction k = words(&tape);
    CHECK_OK(task_measure(t, &tape, &k, &batch, all));
    for (int b = 0; b < B; b++) {
        const int64_t n = offset[b + 1] - offset[b], ends[2] = {0, n};
        Prediction one = k;
        one.words.x = tape_leaf(&tape, SHAPE2(n, D), x + offset[b] * D, NULL);
        one.words.target = target + offset[b];
        one.seq = (Segments){1, ends};
        const Batch piece = {.B = 1, .all = B, .example = number + b};
        CHECK_OK(task_measure(t, &tape, &one, &piece, parts));
    }
    assert_int_equal(all->n, parts->n);
    assert_memory_equal(all->value, parts->value, (size_t)all->n * sizeof *all->value);
    arena_close(&a);
}

TEST(models_and_tasks_of_different_kinds_are_refused)
{
    Arena a = {0};
    Task *t;
    Counts *counts;
    real logits[B * V] = {0};
    const struct {
        double label_smoothing;
        const char *class_weights;
    } set = {0, "none"};
    Tape tape = tape_begin(&a);
    const Prediction many = words(&tape),
                     label = {.kind = PREDICTION_CLASSES, .scores = tape_leaf(&tape, SHAPE2(B, V), logits, NULL)};
    CHECK_OK(task_open(&t, &a, "translation", &sharp, &data, NULL));
    CHECK_OK(task_counts(t, &a, &counts));
    const char *says = "task translation takes words, but the model predicts classes";
    CHECK_SAYS(task_measure(t, &tape, &label, &batch, counts), ERR_CONFIG, says);
    (void)task_loss(t, &tape, &label, &batch);
    CHECK_SAYS(tape_status(&tape), ERR_CONFIG, says);
    CHECK_OK(task_open(&t, &a, "classification", &set, &data, NULL));
    CHECK_SAYS(task_measure(t, &tape, &many, &batch, counts), ERR_CONFIG,
               "task classification takes classes, but the model predicts words");
    const ModelData other = {MODEL_DATA(9, V + 1, 0, 0)};
    tape = tape_begin(&a);
    CHECK_OK(task_open(&t, &a, "translation", &sharp, &other, NULL));
    CHECK_SAYS(task_measure(t, &tape, &many, &batch, counts), ERR_INTERNAL, "logits of 6 words wanted, of 5 there");
    arena_close(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(the_loss_is_the_sum_over_all_words_and_the_weight_is_their_number),
        RUN(measures_are_of_words_and_of_whole_sequences), RUN(what_a_position_costs_besides_counts),
        RUN(counts_do_not_depend_on_the_batch), RUN(models_and_tasks_of_different_kinds_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
