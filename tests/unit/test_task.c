/* Tasks on given logits: loss, measures, and what they say about a batch that does not fit. */
#include <stdio.h>

#include "fields.h"
#include "model_data.h"
#include "task_corpus.h"

/* 1 red, 3 blue, 12 green, most frequent first */
static const Vocab *colours(Arena *a, bool special)
{
    VocabBuilder *b;
    Vocab *v;
    CHECK_OK(vocab_builder_open(&b, a, "labels", 1 << 20));
    CHECK_OK(vocab_builder_add(b, "red", 3, 1));
    CHECK_OK(vocab_builder_add(b, "blue", 4, 3));
    CHECK_OK(vocab_builder_add(b, "green", 5, 12));
    CHECK_OK(vocab_build(&v, a, b, &(VocabLimits){.special = special}));
    vocab_builder_close(b);
    return v;
}

enum { B = 3, C = 4 };

static real logits[B * C] = {1, 2, 3, 4, 0, 0, 5, 5, -2, 8, 1, 0};
static const int32_t label[B] = {3, 3, 1}, group[B] = {2, 2, 255};
static const int64_t number[B] = {70, 80, 90};

typedef struct ClassificationSettings { /* as in classification.c */
    double label_smoothing;
    enum { EQUAL, BALANCED } class_weights;
} ClassificationSettings;
static const ClassificationSettings smoothed = {0.2, EQUAL}, balanced = {0, BALANCED};

static Batch batch(const char *target, const int32_t *id)
{
    Batch b = {.B = B, .all = B, .example = number, .n_fields = 2};
    b.field[0] = (Ragged){.field = test_field_of(target), .count = {B}, .id = id};
    b.field[1] = (Ragged){.field = test_field_of("task"), .count = {B}, .id = group};
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
    const ModelData data = {MODEL_DATA(2, C, 0, 0)};
    CHECK_OK(task_open(&t, &a, "classification", &smoothed, &data, NULL));
    const Batch b = batch("label", label);
    Tape tape = tape_begin(&a);
    Prediction out = {.kind = PREDICTION_CLASSES, .scores = tape_leaf(&tape, SHAPE2(B, C), logits, NULL)};
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
    const ModelData data = {MODEL_DATA(2, C, 0, 0)};
    CHECK_OK(task_open(&t, &a, "classification", &smoothed, &data, NULL));
    const Batch b = batch("label", label);
    Tape tape = tape_begin(&a);
    Prediction out = {.kind = PREDICTION_CLASSES, .scores = tape_leaf(&tape, SHAPE2(B, C), logits, NULL)};
    Counts *counts;
    CHECK_OK(task_counts(t, &a, &counts));
    CHECK_OK(task_measure(t, &tape, &out, &b, counts));
    Measures m = {0};
    CHECK_OK(task_report(t, counts, &m));
    CHECK_NEAR(measures_find(&m, "accuracy")->value, 2.0 / 3, 1e-15); /* the second row's guess is 2 */
    CHECK_NEAR(measures_find(&m, "loss")->value, (plain_loss(0, 3) + plain_loss(1, 3) + plain_loss(2, 1)) / 3, 1e-11);
    const int64_t matrix[C * C] = {0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1};
    Classes classes;
    CHECK_OK(task_classes(t, counts, &a, &classes));
    assert_memory_equal(classes.confusion, matrix, sizeof matrix);
    arena_close(&a);
}

TEST(a_batch_that_does_not_fit_is_refused)
{
    Arena a = {0};
    Task *t;
    const ModelData data = {MODEL_DATA(2, C, 0, 0)};
    const char *none = "none";
    CHECK_OK(task_open(&t, &a, "answer", &none, &data, NULL));
    const int32_t bad[B] = {0, 4, 0};
    Batch b = batch("answer", bad);
    Tape tape = tape_begin(&a);
    Prediction out = {.kind = PREDICTION_CLASSES, .scores = tape_leaf(&tape, SHAPE2(B, C), logits, NULL)};
    Counts *counts;
    CHECK_OK(task_counts(t, &a, &counts));
    CHECK_SAYS(task_measure(t, &tape, &out, &b, counts), ERR_DATA,
               "the batch: example 80: answer is 4, but must be 0 to 3");
    task_loss(t, &tape, &out, &b);
    CHECK_SAYS(tape_status(&tape), ERR_DATA, "the batch: example 80: answer is 4, but must be 0 to 3");
    b = batch("question", label);
    CHECK_SAYS(task_measure(t, &tape, &out, &b, counts), ERR_DATA,
               "the batch: the batch has no target with one value an example");
    CHECK_SAYS(task_open(&t, &a, "parsing", &none, &data, NULL), ERR_INTERNAL, "parsing is not a task");
    CHECK_SAYS(task_open(&t, &a, "classification", &balanced, &data, NULL), ERR_CONFIG,
               "task.class_weights balanced needs a corpus");
    arena_close(&a);
}

TEST(balanced_weights_are_inverse_to_the_counts_and_classes_have_names)
{
    Arena a = {0};
    const Corpus corpus = {
        1, {{.name = "label", .role = ROLE_TARGET, .vocab = "labels", .levels = 0}}, colours(&a, false)};
    const ModelData data = {MODEL_DATA(2, 3, 0, 0)};
    Task *t;
    CHECK_OK(task_open(&t, &a, "classification", &balanced, &data, &corpus));
    CHECK_NEAR(t->weight[0], 16.0 / (3 * 12), 1e-7);
    CHECK_NEAR(t->weight[1], 16.0 / (3 * 3), 1e-7);
    CHECK_NEAR(t->weight[2], 16.0 / (3 * 1), 1e-6);
    Measures m = {0};
    Counts *counts;
    CHECK_OK(task_counts(t, &a, &counts));
    CHECK_OK(task_report(t, counts, &m));
    CHECK(measures_find(&m, "f1/green") && measures_find(&m, t->def->measure), "names");
    arena_close(&a);
}

TEST(answers_are_grouped_by_task_and_a_rare_one_is_never_right)
{
    Arena a = {0};
    const Corpus corpus = {2,
                           {{.name = "answer", .role = ROLE_TARGET, .vocab = "labels", .levels = 0},
                            {.name = "task", .role = ROLE_GROUP, .vocab = "", .levels = 0}},
                           colours(&a, true)};
    const ModelData data = {MODEL_DATA(2, 7, 0, 0)};
    const char *group_by = NULL; /* auto */
    Task *t;
    CHECK_OK(task_open(&t, &a, "answer", &group_by, &data, &corpus));
    real x[B * 7] = {0};
    const int32_t truth[B] = {1, 4, 6}; /* <unk>, green, red */
    x[0 * 7 + 1] = x[1 * 7 + 4] = x[2 * 7 + 5] = 1;
    const Batch b = batch("answer", truth);
    Tape tape = tape_begin(&a);
    Prediction out = {.kind = PREDICTION_CLASSES, .scores = tape_leaf(&tape, SHAPE2(B, 7), x, NULL)};
    Counts *counts;
    CHECK_OK(task_counts(t, &a, &counts));
    CHECK_OK(task_measure(t, &tape, &out, &b, counts));
    Measures m = {0};
    CHECK_OK(task_report(t, counts, &m));
    CHECK_NEAR(measures_find(&m, "accuracy")->value, 1.0 / 3, 1e-15);
    CHECK_NEAR(measures_find(&m, "error/2")->value, 0.5, 0);
    CHECK_NEAR(measures_find(&m, "error/255")->value, 1, 0);
    CHECK_NEAR(measures_find(&m, "mean_error")->value, 0.75, 0);
    arena_close(&a);
}

/* Each task by its own words. */
TEST(a_target_of_another_form_is_refused_by_every_task)
{
    static const struct {
        const char *task, *target;
    } said[] = {{"answer", "one label an example"},
                {"classification", "one label an example"},
                {"choice", "one of the candidates of an example"},
                {"labels", "the labels of an example"},
                {"regression", "numbers of an example"},
                {"tagging", "one tag for each position"},
                {"translation", "one sequence of words an example"}};
    for (int i = 0; i < (int)(sizeof said / sizeof *said); i++) {
        Arena a = {0};
        Task *t;
        char text[160];
        const ModelData data = {MODEL_DATA(2, 3, 0, 0)};
        Corpus c = {1, {{.name = "aim", .role = ROLE_TARGET, .vocab = "labels", .levels = 3}}, colours(&a, false)};
        snprintf(text, sizeof text, "data/news: field \"aim\" must be %s", said[i].target);
        CHECK_SAYS(task_open(&t, &a, said[i].task, NULL, &data, &c), ERR_DATA, text);
        arena_close(&a);
    }
}

TEST(a_corpus_that_does_not_fit_is_refused)
{
    Arena a = {0};
    Task *t;
    const ModelData data = {MODEL_DATA(2, 3, 0, 0)};
    const ClassificationSettings set = {0, EQUAL};
    Corpus c = {1, {{.name = "text", .role = ROLE_INPUT, .vocab = "words", .levels = 2}}, colours(&a, false)};
    CHECK_SAYS(task_open(&t, &a, "classification", &set, &data, &c), ERR_DATA,
               "data/news: the corpus has no target, which task classification predicts");
    c.field[0] = (DataField){.name = "label", .role = ROLE_TARGET, .vocab = "labels", .levels = 1};
    CHECK_SAYS(task_open(&t, &a, "classification", &set, &data, &c), ERR_DATA,
               "data/news: field \"label\" must be one label an example");
    c.field[0] = (DataField){.name = "label", .role = ROLE_TARGET, .vocab = "", .levels = 0};
    CHECK_SAYS(task_open(&t, &a, "classification", &set, &data, &c), ERR_DATA,
               "data/news: field \"label\" has no vocabulary");
    c.field[0] = (DataField){.name = "answer", .role = ROLE_TARGET, .vocab = "labels", .levels = 0};
    const char *group_by = "kind";
    CHECK_SAYS(task_open(&t, &a, "answer", &group_by, &data, &c), ERR_CONFIG,
               "task.group: the corpus data/news has no field \"kind\"; none: no groups");
    c.n = 2;
    c.field[1] = (DataField){.name = "kind", .role = ROLE_GROUP, .vocab = "", .levels = 1};
    CHECK_SAYS(task_open(&t, &a, "answer", &group_by, &data, &c), ERR_CONFIG,
               "task.group: field \"kind\" of data/news is not one number an example");
    const ModelData other = {MODEL_DATA(2, 9, 0, 0)};
    CHECK_SAYS(task_open(&t, &a, "answer", &group_by, &other, &c), ERR_CONFIG,
               "task answer predicts field \"answer\" of data/news, which has 3 labels, but the model makes 9");
    arena_close(&a);
}

TEST(every_allocation_may_fail)
{
    for (long n = 1;; n++) {
        Arena a = {0};
        const Corpus c = {
            1, {{.name = "label", .role = ROLE_TARGET, .vocab = "labels", .levels = 0}}, colours(&a, false)};
        const ModelData data = {MODEL_DATA(2, 3, 0, 0)};
        Task *t;
        Counts *counts;
        a.fail_in = n;
        Status st = task_open(&t, &a, "classification", &balanced, &data, &c);
        if (st == OK) st = task_counts(t, &a, &counts);
        const bool reached = a.fail_in == 0;
        arena_close(&a);
        if (!reached) {
            CHECK(st == OK && n > 4, "%ld allocations", n);
            return;
        }
        CHECK_FAILS(st, ERR_HOST);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(the_loss_is_summed_and_smoothed_and_has_the_penalty),
                                       RUN(measures_count_the_first_of_equal_guesses_and_the_plain_loss),
                                       RUN(a_batch_that_does_not_fit_is_refused),
                                       RUN(balanced_weights_are_inverse_to_the_counts_and_classes_have_names),
                                       RUN(answers_are_grouped_by_task_and_a_rare_one_is_never_right),
                                       RUN(a_target_of_another_form_is_refused_by_every_task),
                                       RUN(a_corpus_that_does_not_fit_is_refused),
                                       RUN(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
