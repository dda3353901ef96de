/* Tasks on given logits: loss, measures, and what they say about a batch that does not fit. */
#include "check.h"
#include "trainer/task/task.h"

enum { B = 3, C = 4 };

static real logits[B * C] = {1, 2, 3, 4, 0, 0, 5, 5, -2, 8, 1, 0};
static const int32_t label[B] = {3, 3, 1}, group[B] = {2, 2, 255};
static const int64_t number[B] = {70, 80, 90};

typedef struct ClassificationSettings { /* as in classification.c: rows of one double and one text */
    double label_smoothing;
    const char *class_weights;
} ClassificationSettings;

static Batch batch(const char *target, const int32_t *id)
{
    Batch b = {.B = B, .all = B, .example = number, .n_fields = 2};
    b.field[0] = (Ragged){.levels = 0, .count = {B}, .id = id};
    strcpy(b.field[0].name, target);
    b.field[1] = (Ragged){.levels = 0, .count = {B}, .id = group};
    strcpy(b.field[1].name, "task");
    return b;
}

static double plain_loss(int r, int y)
{
    double sum = 0;
    for (int c = 0; c < C; c++) sum += exp((double)logits[r * C + c]);
    return log(sum) - (double)logits[r * C + y];
}

TEST(the_loss_is_summed_and_smoothed_and_has_the_penalty)
{
    Arena a = {0};
    Task *t;
    const ModelData data = {.labels = C};
    CHECK_OK(task_open(&t, &a, "classification", &(ClassificationSettings){0.2, "none"}, &data, NULL));
    const Batch b = batch("label", label);
    Tape tape = tape_begin(&a);
    ModelOutput out = {.logits = tape_leaf(&tape, SHAPE2(B, C), logits, NULL)};
    double want = 0;
    for (int r = 0; r < B; r++)
        for (int c = 0; c < C; c++) want += ((c == label[r] ? 0.8 : 0) + 0.2 / C) * plain_loss(r, c);
    CHECK_NEAR(task_loss(t, &tape, &out, &b)->value[0], want, 1e-6);
    real extra = 7;
    out.penalty = tape_leaf(&tape, SHAPE1(1), &extra, NULL);
    CHECK_NEAR(task_loss(t, &tape, &out, &b)->value[0], want + 7, 1e-6);
    CHECK_OK(tape_status(&tape));
    arena_close(&a);
}

TEST(measures_count_the_first_of_equal_guesses_and_the_plain_loss)
{
    Arena a = {0};
    Task *t;
    const ModelData data = {.labels = C};
    CHECK_OK(task_open(&t, &a, "classification", &(ClassificationSettings){0.2, "none"}, &data, NULL));
    const Batch b = batch("label", label);
    Tape tape = tape_begin(&a);
    ModelOutput out = {.logits = tape_leaf(&tape, SHAPE2(B, C), logits, NULL)};
    Counts *counts;
    CHECK_OK(task_counts(t, &a, &counts));
    CHECK_OK(task_measure(t, &out, &b, counts));
    Measures m = {0};
    CHECK_OK(task_report(t, counts, &m));
    CHECK_NEAR(measures_find(&m, "accuracy")->value, 2.0 / 3, 1e-15); /* the second row's guess is 2 */
    CHECK_NEAR(measures_find(&m, "loss")->value, (plain_loss(0, 3) + plain_loss(1, 3) + plain_loss(2, 1)) / 3, 1e-11);
    const int64_t matrix[C * C] = {0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1};
    assert_memory_equal(task_confusion(t, counts), matrix, sizeof matrix);
    arena_close(&a);
}

TEST(a_batch_that_does_not_fit_is_refused)
{
    Arena a = {0};
    Task *t;
    const ModelData data = {.labels = C};
    const char *none = "none";
    CHECK_OK(task_open(&t, &a, "answer", &none, &data, NULL));
    const int32_t bad[B] = {0, 4, 0};
    Batch b = batch("answer", bad);
    Tape tape = tape_begin(&a);
    ModelOutput out = {.logits = tape_leaf(&tape, SHAPE2(B, C), logits, NULL)};
    Counts *counts;
    CHECK_OK(task_counts(t, &a, &counts));
    CHECK_SAYS(task_measure(t, &out, &b, counts), ERR_DATA, "the batch: example 80: answer is 4, but must be 0 to 3");
    task_loss(t, &tape, &out, &b);
    CHECK_SAYS(tape_status(&tape), ERR_DATA, "the batch: example 80: answer is 4, but must be 0 to 3");
    b = batch("label", label);
    CHECK_SAYS(task_measure(t, &out, &b, counts), ERR_DATA,
               "the batch: the batch has no field \"answer\" with one value an example");
    CHECK_SAYS(task_open(&t, &a, "translation", &none, &data, NULL), ERR_INTERNAL, "translation is not a task");
    CHECK_SAYS(task_open(&t, &a, "classification", &(ClassificationSettings){0, "balanced"}, &data, NULL), ERR_CONFIG,
               "task.class_weights balanced needs a corpus");
    arena_close(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(the_loss_is_summed_and_smoothed_and_has_the_penalty),
                                       RUN(measures_count_the_first_of_equal_guesses_and_the_plain_loss),
                                       RUN(a_batch_that_does_not_fit_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
