/* Tasks on predictions made by hand, of the kinds that no model of the house makes yet: loss, weight, measures, what is
 * printed and shown, and what is refused. */
#include <stdio.h>
#include <stdlib.h>

#include "model_data.h"
#include "task_corpus.h"
#include "trainer/evaluate/predictions.h"

static const int64_t number[] = {70, 80, 90};

/* What an evaluation of one batch measures. */
static void measure(Task *t, Tape *tape, const Prediction *p, const Batch *b, Measures *m)
{
    Counts *c;
    *m = (Measures){0};
    CHECK_OK(task_counts(t, tape->arena, &c));
    CHECK_OK(task_measure(t, tape, p, b, c));
    CHECK_OK(task_report(t, c, m));
}

static double value(const Measures *m, const char *name)
{
    const Measure *x = measures_find(m, name);
    CHECK(x, "no measure %s", name);
    return x->value;
}

/* The line that predict prints for an example. */
static void prints(Task *t, Tape *tape, const Prediction *p, const Batch *b, int64_t example, int64_t top,
                   const char *line)
{
    Buffer text = {0};
    Json j = json_begin(&text);
    json_open_object(&j);
    CHECK_OK(task_write(t, tape, p, b, example, top, &j));
    json_end(&j);
    CHECK_OK(json_finish(&j));
    assert_string_equal(text.data, line);
    buffer_close(&text);
}

static Comm *comm;

/* What `mneme eval --predictions` writes of the batch; p, right and loss to 4 digits. */
static void predicts(Task *t, const Corpus *c, Tape *tape, const Prediction *p, const Batch *b, bool json,
                     const char *want)
{
    Session s = {.comm = comm, .run = tape->arena, .task = t, .corpus = (Corpus *)(uintptr_t)c};
    Predictions rows;
    Counts *counts;
    Buffer out = {0};
    char got[1000], *at = got;
    predictions_open(&rows, &s);
    t->listener = &rows.guessed;
    CHECK_OK(task_counts(t, tape->arena, &counts));
    CHECK_OK(task_measure(t, tape, p, b, counts));
    t->listener = NULL;
    CHECK_OK(predictions_write(&rows, json ? PREDICTIONS_JSON : PREDICTIONS_CSV, false, &out));
    for (const char *from = out.data; *from;) { /* "0.123456" to "0.1235" */
        char *end = NULL;
        const double v = *from >= '0' && *from <= '9' ? strtod(from, &end) : 0;
        const bool point = end && memchr(from, '.', (size_t)(end - from));
        at += point ? sprintf(at, "%.4f", v) : sprintf(at, "%.*s", end ? (int)(end - from) : 1, from);
        from = end ? end : from + 1;
    }
    assert_string_equal(got, want);
    predictions_close(&rows);
    buffer_close(&out);
}

/* --- Tagging: three sentences of 5, 0 and 1 words --- */

static const char *const tag_name[] = {"O", "B-PER", "I-PER", "B-LOC", "I-LOC", NULL};
enum { O, BP, IP, BL, IL, TAGS, WORDS = 6 };
static const int64_t sentence[] = {0, 5, 5, 6};
static const int32_t true_tag[WORDS] = {BP, IP, O, BL, IL, O};
static const DataField tag_field = {
    .name = "tags", .role = ROLE_TARGET, .vocab = "labels", .levels = 1, .closed = true};
static const DataField word_field = {.name = "words", .role = ROLE_INPUT, .vocab = "words", .levels = 1};

static Batch tag_batch(const int32_t *tag)
{
    Batch b = {.B = 3, .all = 3, .example = number, .n_fields = 1};
    b.field[0] = (Ragged){.field = &tag_field, .count = {3, WORDS}, .offset = {sentence}, .id = tag};
    return b;
}

static Task *tagging(Arena *a)
{
    Task *t;
    static Corpus c;
    c = (Corpus){1, {tag_field}, task_vocab(a, false, tag_name)};
    const ModelData data = {MODEL_DATA(9, TAGS, 0, 0)};
    CHECK_OK(task_open(&t, a, "tagging", NULL, &data, &c));
    return t;
}

/* Scores whose largest at each word is that of guess. */
static Prediction tag_scores(Tape *tape, const int32_t *guess, real *x)
{
    for (int i = 0; i < WORDS * TAGS; i++) x[i] = (real)(i % 7) / 8;
    for (int i = 0; i < WORDS; i++) x[i * TAGS + guess[i]] = 2;
    return (Prediction){
        .kind = PREDICTION_TAGS, .scores = tape_leaf(tape, SHAPE2(WORDS, TAGS), x, NULL), .seq = {3, sentence}};
}

static double tag_loss(const real *x, int32_t y)
{
    double sum = 0;
    for (int c = 0; c < TAGS; c++) sum += exp((double)x[c]);
    return log(sum) - (double)x[y];
}

TEST(tags_each_for_itself)
{
    static const int32_t guess[WORDS] = {BP, IP, O,
                                         BL, BL, O}; /* the place is cut in two: one of three spans is right */
    Arena a = {0};
    Tape tape = tape_begin(&a);
    Task *t = tagging(&a);
    real x[WORDS * TAGS];
    const Prediction p = tag_scores(&tape, guess, x);
    const Batch b = tag_batch(true_tag);
    Measures m;
    double want = 0;
    for (int i = 0; i < WORDS; i++) want += tag_loss(x + i * TAGS, true_tag[i]);
    CHECK_NEAR(task_loss(t, &tape, &p, &b)->value[0], want, 1e-6);
    assert_int_equal(task_weight(t, &p, &b), WORDS);
    measure(t, &tape, &p, &b, &m);
    CHECK_NEAR(value(&m, "loss"), want / WORDS, 1e-6);
    CHECK_NEAR(value(&m, "token_accuracy"), 5.0 / 6, 1e-15);
    CHECK_NEAR(value(&m, "tokens"), 6, 0);
    CHECK_NEAR(value(&m, "exact"), 2.0 / 3, 1e-15);
    CHECK_NEAR(value(&m, "span_precision"), 1.0 / 3, 1e-15);
    CHECK_NEAR(value(&m, "span_recall"), 1.0 / 2, 1e-15);
    CHECK_NEAR(value(&m, "span_f1"), 2.0 / 5, 1e-15);
    CHECK_NEAR(value(&m, "span_f1/PER"), 1, 0);
    CHECK_NEAR(value(&m, "span_f1/LOC"), 0, 0);
    CHECK(measures_find(&m, t->def->measure)->higher, "F1 is better when higher");
    double whole[2] = {0}, first = 0; /* -log p of the guesses, -log p of the truths */
    for (int i = 0; i < WORDS - 1; i++) {
        whole[0] += tag_loss(x + i * TAGS, guess[i]);
        first += tag_loss(x + i * TAGS, true_tag[i]) / 5;
    }
    whole[1] = tag_loss(x + 5 * TAGS, guess[5]);
    char rows[600];
    const int n = snprintf(
        rows, sizeof rows,
        "example,truth,guess,probability,right,loss\n70,B-PER I-PER O B-LOC I-LOC,B-PER I-PER O B-LOC B-LOC,%.4f,"
        "false,%.4f\n80,,,1,true,0\n90,O,O,%.4f,true,%.4f\n",
        exp(-whole[0]), first, exp(-whole[1]), whole[1]);
    CHECK(n < (int)sizeof rows, "%d", n);
    predicts(t, &(Corpus){1, {tag_field}, task_vocab(&a, false, tag_name)}, &tape, &p, &b, false, rows);
    arena_close(&a);
}

/* I-LOC never stands behind O, whatever the scores say, and PER ends before the sentence does. */
TEST(tags_as_one_sequence)
{
    static const int32_t guess[WORDS] = {BP, IP, O, IL, BL, IL};
    static const int32_t best[WORDS] = {BP, IP, O, BL, BL, IL};
    Arena a = {0};
    Tape tape = tape_begin(&a);
    Task *t = tagging(&a);
    real x[WORDS * TAGS], go[(TAGS + 2) * TAGS] = {0};
    Prediction p = tag_scores(&tape, guess, x);
    x[3 * TAGS + BL] = (real)1.5;
    go[O * TAGS + IL] = -9;
    p.transitions = tape_leaf(&tape, SHAPE2(TAGS + 2, TAGS), go, NULL);
    const Batch b = tag_batch(best);
    Measures m;
    measure(t, &tape, &p, &b, &m);
    CHECK_NEAR(value(&m, "exact"), 1, 0);
    CHECK_NEAR(value(&m, "span_f1"), 1, 0);
    const double loss = (double)task_loss(t, &tape, &p, &b)->value[0];
    CHECK_NEAR(value(&m, "loss"), loss / WORDS, 1e-6);
    double apart = 0;
    for (int i = 0; i < WORDS; i++) apart += tag_loss(x + i * TAGS, best[i]);
    CHECK(loss > 0 && fabs(loss - apart) > 0.01, "%g as a whole, %g apart", loss, apart);
    char line[256];
    Buffer text = {0};
    Json j = json_begin(&text);
    json_open_object(&j);
    CHECK_OK(task_write(t, &tape, &p, &b, 2, 0, &j));
    json_end(&j);
    CHECK_OK(json_finish(&j));
    snprintf(line, sizeof line, "{\"tags\": [\"I-LOC\"], \"probability\": 0.");
    CHECK(strncmp(text.data, line, strlen(line)) == 0, "%s", text.data);
    buffer_close(&text);
    prints(t, &tape, &p, &b, 1, 0, "{\"tags\": [], \"probability\": 1}");
    arena_close(&a);
}

TEST(tags_are_shown_and_hang_on_their_words)
{
    static const int32_t guess[WORDS] = {BP, IP, O, BL, IL, O};
    static const int64_t one[] = {0, 2}, copies[] = {0, 2, 4};
    Arena a = {0};
    Tape tape = tape_begin(&a);
    Task *t = tagging(&a);
    real x[WORDS * TAGS];
    Prediction p = tag_scores(&tape, guess, x);
    p.scores = tape_leaf(&tape, SHAPE2(2, TAGS), x, NULL);
    p.seq = (Segments){1, one};
    Batch b = {.B = 1, .all = 1, .example = number, .n_fields = 1};
    b.field[0] = (Ragged){.field = &word_field, .count = {1, 2}, .offset = {one}, .id = guess};
    TaskLook said;
    CHECK_OK(task_look(t, &tape, &p, &b, &a, &said));
    assert_string_equal(said.said, "B-PER I-PER");
    assert_int_equal(task_outcomes(t, &b), 2);
    real twice[4 * TAGS], d[4 * TAGS] = {0};
    for (int i = 0; i < 4 * TAGS; i++) twice[i] = x[i % (2 * TAGS)];
    p.scores = tape_leaf(&tape, SHAPE2(4, TAGS), twice, d);
    p.seq = (Segments){2, copies};
    CHECK_OK(tape_backward(&tape, task_scalar(t, &tape, &p), 1));
    for (int i = 0; i < 4 * TAGS; i++) /* the first tag of the first copy, the second of the second */
        CHECK_NEAR(d[i], i == BP || i == 3 * TAGS + IP, 0);
    arena_close(&a);
}

TEST(tags_that_do_not_fit_are_refused)
{
    static const int32_t guess[WORDS] = {0}, bad[WORDS] = {0, 0, 0, 0, TAGS, 0};
    static const int64_t other[] = {0, 3, 4, 6};
    Arena a = {0};
    Tape tape = tape_begin(&a);
    Task *t = tagging(&a);
    Counts *c;
    real x[WORDS * TAGS];
    CHECK_OK(task_counts(t, &a, &c));
    Prediction p = tag_scores(&tape, guess, x);
    Batch b = tag_batch(bad);
    CHECK_SAYS(task_measure(t, &tape, &p, &b, c), ERR_DATA, "data/news: example 70: tags is 5, but must be 0 to 4");
    b = tag_batch(true_tag);
    b.field[0].offset[0] = other;
    CHECK_SAYS(task_measure(t, &tape, &p, &b, c), ERR_DATA,
               "data/news: example 70 has 3 tags in field \"tags\", but 5 positions");
    (void)task_loss(t, &tape, &p, &b);
    CHECK_FAILS(tape_status(&tape), ERR_DATA);
    p.kind = PREDICTION_LABELS;
    CHECK_SAYS(task_measure(t, &tape, &p, &b, c), ERR_CONFIG, "task tagging takes tags, but the model predicts labels");
    Corpus flat = {1, {tag_field}, t->vocab};
    flat.field[0].levels = 0;
    CHECK_SAYS(task_open(&t, &a, "tagging", NULL, &(ModelData){MODEL_DATA(9, TAGS, 0, 0)}, &flat), ERR_DATA,
               "data/news: field \"tags\" must be one tag for each position");
    arena_close(&a);
}

/* --- Labels: two examples, four labels --- */

static const char *const topic[] = {"art", "law", "sea", "war", NULL};
enum { TOPICS = 4 };
static const DataField topic_field = {
    .name = "topics", .role = ROLE_TARGET, .vocab = "labels", .levels = 1, .closed = true};

TEST(labels_are_sets)
{
    static const int64_t at[] = {0, 2, 2, 3};
    static const int32_t topics[] = {2, 0, 3}; /* sea and art; nothing; war */
    static const double half = 0.5, high = 0.9;
    real x[3 * TOPICS] = {2, -1, 1, -3, -1, -2, -1, -4, 1, -1, -1, 3}; /* art sea; nothing; art war */
    Arena a = {0};
    Tape tape = tape_begin(&a);
    Task *t;
    Corpus c = {1, {topic_field}, task_vocab(&a, false, topic)};
    const ModelData data = {MODEL_DATA(9, TOPICS, 0, 0)};
    CHECK_OK(task_open(&t, &a, "labels", &half, &data, &c));
    Batch b = {.B = 3, .all = 3, .example = number, .n_fields = 1};
    b.field[0] = (Ragged){.field = &topic_field, .count = {3, 3}, .offset = {at}, .id = topics};
    const Prediction p = {.kind = PREDICTION_LABELS, .scores = tape_leaf(&tape, SHAPE2(3, TOPICS), x, NULL)};
    double want = 0;
    for (int i = 0; i < 3 * TOPICS; i++) {
        const bool yes = i == 0 || i == 2 || i == 2 * TOPICS + 3;
        want -= log(1 / (1 + exp(yes ? -(double)x[i] : (double)x[i])));
    }
    CHECK_NEAR(task_loss(t, &tape, &p, &b)->value[0], want, 1e-6);
    assert_int_equal(task_weight(t, &p, &b), 3);
    Measures m;
    measure(t, &tape, &p, &b, &m);
    CHECK_NEAR(value(&m, "loss"), want / 3, 1e-9);
    CHECK_NEAR(value(&m, "exact"), 2.0 / 3, 1e-15);
    /* art 1 of 1 true, 2 said; sea 1 1 1; war 1 1 1; law never: micro 2 * 3 / (3 + 4), macro (2/3 + 0 + 1 + 1) / 4 */
    CHECK_NEAR(value(&m, "micro_f1"), 6.0 / 7, 1e-15);
    CHECK_NEAR(value(&m, "macro_f1"), (2.0 / 3 + 2) / 4, 1e-15);
    CHECK_NEAR(value(&m, "f1/art"), 2.0 / 3, 1e-15);
    prints(t, &tape, &p, &b, 1, 2,
           "{\"labels\": [], \"probabilities\": {\"art\": 0.2689414213699951, \"sea\": 0.2689414213699951}}");
    double p_guess[3] = {1, 1, 1}, p_truth[3] = {1, 1, 1};
    for (int i = 0; i < 3 * TOPICS; i++) {
        const bool yes = i == 0 || i == 2 || i == 2 * TOPICS + 3;
        p_guess[i / TOPICS] /= 1 + exp(-fabs((double)x[i]));
        p_truth[i / TOPICS] /= 1 + exp(yes ? -(double)x[i] : (double)x[i]);
    }
    char rows[600];
    const int length =
        snprintf(rows, sizeof rows,
                 "example,truth,guess,probability,right,loss\n70,art; sea,art; "
                 "sea,%.4f,true,%.4f\n80,,,%.4f,true,%.4f\n90,war,art; war,%.4f,false,%.4f\n",
                 p_guess[0], -log(p_truth[0]), p_guess[1], -log(p_truth[1]), p_guess[2], -log(p_truth[2]));
    CHECK(length < (int)sizeof rows, "%d", length);
    predicts(t, &c, &tape, &p, &b, false, rows);
    TaskLook said;
    CHECK_OK(task_look(t, &tape, &p, &b, &a, &said));
    assert_string_equal(said.said, "art, sea");
    assert_string_equal(said.name[1], "sea");
    CHECK_NEAR(said.probability[1], 1 / (1 + exp(-1.0)), 1e-15);
    CHECK_OK(task_open(&t, &a, "labels", &high, &data, &c));
    measure(t, &tape, &p, &b, &m);
    CHECK_NEAR(value(&m, "f1/art"), 0, 0); /* 0.88 is not enough */
    CHECK_NEAR(value(&m, "f1/war"), 1, 0);
    arena_close(&a);
}

/* --- Choice: three questions with 3, 1 and 2 candidates --- */

static const int64_t choice_at[] = {0, 3, 4, 6};
static const int32_t candidate[] = {2, 0, 3, 1, 3, 1};
static const DataField candidate_field = {.name = "choices", .role = ROLE_CANDIDATES, .vocab = "labels", .levels = 1},
                       word_target = {.name = "word", .role = ROLE_TARGET, .vocab = "labels"},
                       place_target = {.name = "right", .role = ROLE_TARGET},
                       kind_field = {.name = "kind", .role = ROLE_GROUP};

static Batch choice_batch(const DataField *target, const int32_t *id)
{
    static const int32_t kind[] = {0, 0, 7};
    Batch b = {.B = 3, .all = 3, .example = number, .n_fields = 3};
    b.field[0] = (Ragged){.field = &candidate_field, .count = {3, 6}, .offset = {choice_at}, .id = candidate};
    b.field[1] = (Ragged){.field = target, .count = {3}, .id = id};
    b.field[2] = (Ragged){.field = &kind_field, .count = {3}, .id = kind};
    return b;
}

TEST(one_candidate_is_chosen)
{
    static const int32_t word[] = {3, 1, 3}, place[] = {2, 0, 0}, foreign[] = {3, 2, 3};
    static const char *const group = NULL; /* auto */
    real x[] = {0, 1, 2, -5, 1, 1};        /* right; there is no other; the first of equal ones */
    Arena a = {0};
    Tape tape = tape_begin(&a);
    Task *t;
    const Corpus c = {3, {candidate_field, word_target, kind_field}, task_vocab(&a, false, topic)};
    CHECK_OK(task_open(&t, &a, "choice", &group, &(ModelData){MODEL_DATA(0, 0, 0, 0)}, &c));
    Prediction p = {
        .kind = PREDICTION_CANDIDATES, .scores = tape_leaf(&tape, SHAPE1(6), x, NULL), .seq = {3, choice_at}};
    const double want = log(exp(0) + exp(1) + exp(2)) - 2 + log(2);
    for (int way = 0; way < 2; way++) { /* named by its word, or by its place */
        const Batch b = way ? choice_batch(&place_target, place) : choice_batch(&word_target, word);
        Measures m;
        CHECK_NEAR(task_loss(t, &tape, &p, &b)->value[0], want, 1e-6);
        assert_int_equal(task_weight(t, &p, &b), 3);
        measure(t, &tape, &p, &b, &m);
        CHECK_NEAR(value(&m, "loss"), want / 3, 1e-9);
        CHECK_NEAR(value(&m, "accuracy"), 1, 0);
        CHECK_NEAR(value(&m, "mean_error"), 0, 0);
        predicts(t, &c, &tape, &p, &b, true,
                 "{\"example\": 70, \"truth\": \"war\", \"guess\": \"war\", \"probability\": 0.6652, \"right\": true, "
                 "\"loss\": 0.4076}\n"
                 "{\"example\": 80, \"truth\": \"law\", \"guess\": \"law\", \"probability\": 1, \"right\": true, "
                 "\"loss\": 0}\n"
                 "{\"example\": 90, \"truth\": \"war\", \"guess\": \"war\", \"probability\": 0.5000, \"right\": true, "
                 "\"loss\": 0.6931}\n");
    }
    Batch b = choice_batch(&word_target, foreign);
    Counts *counts;
    CHECK_OK(task_counts(t, &a, &counts));
    CHECK_SAYS(task_measure(t, &tape, &p, &b, counts), ERR_DATA,
               "data/news: example 80: its word is none of its 1 candidates");
    b = choice_batch(&word_target, word);
    prints(t, &tape, &p, &b, 2, 0,
           "{\"choice\": \"war\", \"place\": 0, \"probability\": 0.5, \"candidates\": [{\"choice\": \"war\", "
           "\"place\": 0, "
           "\"probability\": 0.5}, {\"choice\": \"law\", \"place\": 1, \"probability\": 0.5}]}");
    p.scores = tape_leaf(&tape, SHAPE1(5), x, NULL);
    CHECK_SAYS(task_measure(t, &tape, &p, &b, counts), ERR_INTERNAL, "scores of the candidates of 3 examples wanted");
    arena_close(&a);
}

TEST(a_wrong_candidate_counts_in_its_group)
{
    static const int32_t place[] = {2, 0, 1};
    static const char *const group = NULL; /* auto */
    real x[] = {0, 1, 2, -5, 1, 1};
    Arena a = {0};
    Tape tape = tape_begin(&a);
    Task *t;
    Measures m;
    const Corpus c = {3, {candidate_field, place_target, kind_field}, task_vocab(&a, false, topic)};
    CHECK_OK(task_open(&t, &a, "choice", &group, &(ModelData){MODEL_DATA(0, 0, 0, 0)}, &c));
    const Prediction p = {
        .kind = PREDICTION_CANDIDATES, .scores = tape_leaf(&tape, SHAPE1(6), x, NULL), .seq = {3, choice_at}};
    const Batch b = choice_batch(&place_target, place);
    measure(t, &tape, &p, &b, &m);
    CHECK_NEAR(value(&m, "accuracy"), 2.0 / 3, 1e-15);
    CHECK_NEAR(value(&m, "error/7"), 1, 0);
    CHECK_NEAR(value(&m, "mean_error"), 0.5, 0);
    TaskLook said;
    CHECK_OK(task_look(t, &tape, &p, &b, &a, &said));
    assert_string_equal(said.said, "war");
    assert_int_equal(said.n, 3);
    arena_close(&a);
}

/* --- Regression: three examples of two numbers --- */

TEST(numbers_have_squared_errors)
{
    static const DataField field = {.name = "sizes", .role = ROLE_TARGET, .type = FIELD_FLOATS, .width = 2};
    static const float y[] = {1, 2, -3, 0.5f, 0, 4};
    real x[] = {1, 3, -3, (real)0.25, -2, 4}; /* errors 0 1 0 -1/4 -2 0 */
    Arena a = {0};
    Tape tape = tape_begin(&a);
    Task *t;
    Measures m;
    const Corpus c = {1, {field}, NULL};
    CHECK_OK(task_open(&t, &a, "regression", NULL, &(ModelData){MODEL_DATA(0, 0, 0, 0)}, &c));
    Batch b = {.B = 3, .all = 3, .example = number, .n_fields = 1};
    b.field[0] = (Ragged){.field = &field, .count = {3}, .value = y};
    Prediction p = {.kind = PREDICTION_VALUES, .scores = tape_leaf(&tape, SHAPE2(3, 2), x, NULL)};
    CHECK_NEAR(task_loss(t, &tape, &p, &b)->value[0], 5.0625, 1e-6);
    assert_int_equal(task_weight(t, &p, &b), 6);
    measure(t, &tape, &p, &b, &m);
    CHECK_NEAR(value(&m, "loss"), 5.0625 / 6, 1e-15);
    CHECK_NEAR(value(&m, "mean_squared_error"), 5.0625 / 6, 1e-15);
    CHECK_NEAR(value(&m, "mean_absolute_error"), 3.25 / 6, 1e-15);
    CHECK(!measures_find(&m, t->def->measure)->higher, "a smaller error is better");
    prints(t, &tape, &p, &b, 1, 0, "{\"values\": [-3, 0.25]}");
    predicts(t, &c, &tape, &p, &b, true,
             "{\"example\": 70, \"truth\": [1, 2], \"guess\": [1, 3], \"loss\": 0.5000}\n"
             "{\"example\": 80, \"truth\": [-3, 0.5000], \"guess\": [-3, 0.2500], \"loss\": 0.0312}\n"
             "{\"example\": 90, \"truth\": [0, 4], \"guess\": [-2, 4], \"loss\": 2}\n");
    TaskLook said;
    CHECK_OK(task_look(t, &tape, &p, &b, &a, &said));
    assert_string_equal(said.said, "1 3");
    Counts *counts;
    CHECK_OK(task_counts(t, &a, &counts));
    p.scores = tape_leaf(&tape, SHAPE2(3, 1), x, NULL);
    CHECK_SAYS(task_measure(t, &tape, &p, &b, counts), ERR_CONFIG,
               "data/news: field \"sizes\" has 2 numbers an example, but the model makes 1");
    arena_close(&a);
}

/* All that is asked of the tagging of one sequence and of a choice, memory of both arenas failing at some point. */
static Status ask_all(Arena *a, const char *task, const Prediction *given, const Batch *b, const void *set,
                      const Corpus *c)
{
    Task *t;
    Counts *counts;
    TaskLook said;
    Measures m = {0};
    Prediction p = *given;
    Buffer text = {0};
    TRY(task_open(&t, a, task, set, &(ModelData){MODEL_DATA(9, TAGS, 0, 0)}, c));
    Tape tape = tape_begin(a);
    (void)task_loss(t, &tape, &p, b);
    (void)task_scalar(t, &tape, &p);
    TRY(tape_status(&tape));
    TRY(task_counts(t, a, &counts));
    TRY(task_measure(t, &tape, &p, b, counts));
    TRY(task_report(t, counts, &m));
    TRY(task_look(t, &tape, &p, b, a, &said));
    Json j = json_begin(&text);
    json_open_object(&j);
    const Status st = task_write(t, &tape, &p, b, 0, 0, &j);
    buffer_close(&text);
    return st;
}

static void without_memory(const char *task, const Prediction *p, const Batch *b, const void *set, const Corpus *c)
{
    for (long n = 1;; n++) {
        Arena a = {.fail_in = n};
        const Status st = ask_all(&a, task, p, b, set, c);
        const bool reached = a.fail_in == 0;
        arena_close(&a);
        if (!reached) {
            CHECK_OK(st);
            CHECK(n > 8, "%s: only %ld allocations", task, n);
            return;
        }
        CHECK(st == ERR_HOST, "%s: allocation %ld failed, but the status is %d", task, n, (int)st);
    }
}

TEST(every_allocation_may_fail)
{
    static const int32_t guess[WORDS] = {BP, IP, O, IL, BL, IL}, place[] = {2, 0, 1};
    static const int64_t at[] = {0, 2, 2, 3};
    static const int32_t topics[] = {2, 0, 3};
    static const double half = 0.5;
    static const char *const none = "none";
    Arena a = {0};
    Tape tape = tape_begin(&a);
    real x[WORDS * TAGS], go[(TAGS + 2) * TAGS] = {0};
    Prediction p = tag_scores(&tape, guess, x);
    const Vocab *tags = task_vocab(&a, false, tag_name);
    Batch b = tag_batch(true_tag);
    without_memory("tagging", &p, &b, NULL, &(Corpus){1, {tag_field}, tags});
    p.transitions = tape_leaf(&tape, SHAPE2(TAGS + 2, TAGS), go, NULL);
    without_memory("tagging", &p, &b, NULL, &(Corpus){1, {tag_field}, tags});
    p = (Prediction){.kind = PREDICTION_LABELS, .scores = tape_leaf(&tape, SHAPE2(3, TAGS), x, NULL)};
    b.field[0] = (Ragged){.field = &topic_field, .count = {3, 3}, .offset = {at}, .id = topics};
    without_memory("labels", &p, &b, &half, &(Corpus){1, {topic_field}, tags});
    p = (Prediction){
        .kind = PREDICTION_CANDIDATES, .scores = tape_leaf(&tape, SHAPE1(6), x, NULL), .seq = {3, choice_at}};
    b = choice_batch(&place_target, place);
    without_memory("choice", &p, &b, &none, &(Corpus){3, {candidate_field, place_target, kind_field}, tags});
    arena_close(&a);
}

/* Each task on each prediction of another kind, and each without a corpus. */
TEST(each_task_takes_its_kind_alone)
{
    Arena a = {0};
    _Alignas(16) static const char settings[64];
    real x[4] = {0};
    for (int i = 0; task_choice(i); i++) {
        Task *t;
        const char *group = "none";
        const TaskDef *def = task_find(task_choice(i)->name);
        const void *set = def->kind == PREDICTION_CANDIDATES ? (const void *)&group : settings;
        if (strcmp(task_choice(i)->name, "classification") == 0 || strcmp(task_choice(i)->name, "answer") == 0)
            continue;
        CHECK_OK(task_open(&t, &a, task_choice(i)->name, set, &(ModelData){MODEL_DATA(9, 4, 0, 0)}, NULL));
        for (int kind = PREDICTION_CLASSES; kind <= PREDICTION_VALUES; kind *= 2) {
            Tape tape = tape_begin(&a);
            const Batch b = {.B = 1, .all = 1, .example = number};
            const Prediction p = {.kind = (PredictionKind)kind, .scores = tape_leaf(&tape, SHAPE2(1, 4), x, NULL)};
            char says[128];
            if (kind == (int)def->kind) continue;
            (void)task_loss(t, &tape, &p, &b);
            snprintf(says, sizeof says, "task %s takes %s, but the model predicts %s", def->component.name,
                     prediction_names((int)def->kind), prediction_names(kind));
            CHECK_SAYS(tape_status(&tape), ERR_CONFIG, says);
        }
    }
    arena_close(&a);
}

int main(int argc, char **argv)
{
    if (comm_init(&comm, &argc, &argv) != OK) return 1;
    const struct CMUnitTest tests[] = {RUN(tags_each_for_itself),
                                       RUN(tags_as_one_sequence),
                                       RUN(tags_are_shown_and_hang_on_their_words),
                                       RUN(tags_that_do_not_fit_are_refused),
                                       RUN(labels_are_sets),
                                       RUN(one_candidate_is_chosen),
                                       RUN(a_wrong_candidate_counts_in_its_group),
                                       RUN(numbers_have_squared_errors),
                                       RUN(every_allocation_may_fail),
                                       RUN(each_task_takes_its_kind_alone)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    comm_finalize(comm);
    return failed;
}
