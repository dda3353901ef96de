/* Measures against values worked out by hand; sums that know no order. */
#include "check.h"
#include "comm/random.h"
#include "trainer/metric/exact.h"
#include "trainer/metric/metric.h"
#include "trainer/metric/quality/quality.h"

static const char *const class_name[] = {"cat", "dog", "emu", "yak"}, *const group_name[] = {"one", "two", "three"};
static const MetricShape shape = {
    .classes = 4, .groups = 3, .class_name = class_name, .group_name = group_name, .unknown = -1};

static double value(const Measures *m, const char *name)
{
    const Measure *x = measures_find(m, name);
    if (!x) fail_msg("no measure %s", name);
    return x->value;
}

/* truth 0 0 0 1 1 2, guess 0 0 1 1 2 0: tp 2 1 0 0, truths 3 2 1 0, guesses 3 2 1 0;
 * F1 = 2/3, 1/2, 0, and 0 for the yak that never comes: macro (2/3 + 1/2) / 4, micro 3/6. */
static const struct {
    int32_t truth, guess, group;
    double loss;
} examples[] = {{0, 0, 0, 0.5}, {0, 0, 0, 0.25}, {0, 1, 0, 1.5}, {1, 1, 2, 0.75}, {1, 2, 2, 2}, {2, 0, 2, 1}};

/* One class an example. */
static void add(const MetricSet *set, Counts *c, Arena *a, int32_t truth, int32_t guess, int32_t group, double loss)
{
    const MetricExample e = {
        .truth = {.n = 1, .id = &truth}, .guess = {.n = 1, .id = &guess}, .n_losses = 1, .loss = &loss, .group = group};
    CHECK_OK(metric_add(set, c, &e, a));
}

static const char *const all[] = {"loss", "perplexity", "accuracy", "f1", "confusion", "groups", NULL};

TEST(measures_of_six_examples_are_those_worked_out_by_hand)
{
    Arena a = {0};
    MetricSet set;
    CHECK_OK(metric_open(&set, &a, &shape, all, NULL));
    Counts *c;
    CHECK_OK(counts_open(&c, &a, set.counters));
    for (int i = 0; i < 6; i++)
        add(&set, c, &a, examples[i].truth, examples[i].guess, examples[i].group, examples[i].loss);
    Measures m = {0};
    CHECK_OK(metric_report(&set, c, &m));
    CHECK_NEAR(value(&m, "loss"), 1, 0);
    CHECK_NEAR(value(&m, "perplexity"), exp(1), 1e-15);
    CHECK_NEAR(value(&m, "accuracy"), 0.5, 0);
    CHECK_NEAR(value(&m, "examples"), 6, 0);
    CHECK_NEAR(value(&m, "macro_f1"), (2.0 / 3 + 0.5) / 4, 1e-15);
    CHECK_NEAR(value(&m, "micro_f1"), 0.5, 0);
    CHECK_NEAR(value(&m, "f1/cat"), 2.0 / 3, 1e-15);
    CHECK_NEAR(value(&m, "f1/dog"), 0.5, 0);
    CHECK_NEAR(value(&m, "f1/emu"), 0, 0);
    CHECK_NEAR(value(&m, "f1/yak"), 0, 0);
    CHECK_NEAR(value(&m, "mean_error"), (1.0 / 3 + 2.0 / 3) / 2, 1e-15);
    CHECK_NEAR(value(&m, "failed"), 2, 0);
    CHECK_NEAR(value(&m, "error/one"), 1.0 / 3, 1e-15);
    CHECK_NEAR(value(&m, "error/three"), 2.0 / 3, 1e-15);
    CHECK(!measures_find(&m, "error/two"), "a group without examples is listed");
    CHECK(!measures_find(&m, "loss")->higher && measures_find(&m, "accuracy")->higher, "directions");
    const int64_t matrix[16] = {2, 1, 0, 0, 0, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0};
    assert_memory_equal(metric_counters(&set, c, "confusion"), matrix, sizeof matrix);
    counts_clear(c);
    m.n = 0;
    CHECK_OK(metric_report(&set, c, &m));
    CHECK(isnan(value(&m, "loss")) && isnan(value(&m, "accuracy")) && isnan(value(&m, "macro_f1")), "no examples");
    arena_close(&a);
}

TEST(an_error_of_five_per_cent_has_not_failed)
{
    Arena a = {0};
    MetricSet set;
    CHECK_OK(metric_open(&set, &a, &(MetricShape){.classes = 2, .groups = 2, .unknown = -1},
                         (const char *[]){"groups", NULL}, NULL));
    Counts *c;
    CHECK_OK(counts_open(&c, &a, set.counters));
    for (int i = 0; i < 200; i++) add(&set, c, &a, 1, i < 11 ? i % 2 : 1, i % 2, 0);
    Measures m = {0};
    CHECK_OK(metric_report(&set, c, &m)); /* group 0: 6 of 100 wrong; group 1: none */
    CHECK_NEAR(value(&m, "failed"), 1, 0);
    CHECK_NEAR(value(&m, "error/0"), 0.06, 1e-15);
    add(&set, c, &a, 1, 1, 0, 0);
    for (int i = 0; i < 19; i++) add(&set, c, &a, 1, 1, 0, 0);
    m.n = 0;
    CHECK_OK(metric_report(&set, c, &m)); /* 6 of 120 are 5 % */
    CHECK_NEAR(value(&m, "failed"), 0, 0);
    arena_close(&a);
}

TEST(a_rare_answer_is_never_right)
{
    Arena a = {0};
    MetricSet set;
    CHECK_OK(metric_open(&set, &a, &(MetricShape){.classes = 3, .groups = 1, .unknown = 1},
                         (const char *[]){"accuracy", NULL}, NULL));
    Counts *c;
    CHECK_OK(counts_open(&c, &a, set.counters));
    add(&set, c, &a, 1, 1, 0, 0);
    add(&set, c, &a, 2, 2, 0, 0);
    Measures m = {0};
    CHECK_OK(metric_report(&set, c, &m));
    CHECK_NEAR(value(&m, "accuracy"), 0.5, 0);
    arena_close(&a);
}

/* Outputs 5 6 and 5 1 and nothing, targets 5 6, 5 1 7 and 7; an unknown word (1) is never right. */
TEST(measures_of_whole_outputs_are_those_worked_out_by_hand)
{
    static const int32_t made[] = {5, 6, 5, 1}, target[] = {5, 6, 5, 1, 7, 7};
    static const int64_t seen[] = {0, 0, 1, 2, 1, 1}, sure[] = {0, 0, 1, 1}, possible[] = {1, 2};
    static const Word text[2][3] = {{{"a b", 3}, {"a <unk>", 7}, {"", 0}}, {{"a b", 3}, {"a c d", 5}, {"d", 1}}};
    Arena a = {0};
    MetricSet set;
    Counts *c;
    CHECK_OK(metric_open(&set, &a, &(MetricShape){.unknown = 1, .links = true},
                         (const char *[]){"exact", "length", "cut", "aer", "bleu", NULL}, "decoded/"));
    CHECK_OK(counts_open(&c, &a, set.counters));
    assert_true(set.texts);
    for (int i = 0; i < 3; i++) {
        MetricExample e = {.guess = {.n = i < 2 ? 2 : 0, .id = made + 2 * (i % 2), .words = i < 2 ? 2 : 0},
                           .truth = {.n = (int[]){2, 3, 1}[i], .id = target + (int[]){0, 2, 5}[i]},
                           .cut = i == 1};
        e.truth.words = e.truth.n;
        e.guess.text = text[0][i];
        e.truth.text = text[1][i];
        if (i == 0) e.sure = (MetricLinks){2, sure};
        if (i == 0) e.possible = (MetricLinks){1, possible};
        if (i == 0) e.links = (MetricLinks){3, seen};
        CHECK_OK(metric_add(&set, c, &e, &a));
    }
    Measures m = {0};
    CHECK_OK(measures_add(&m, "loss", 1, false));
    CHECK_OK(metric_report(&set, c, &m));
    assert_string_equal(m.item[0].name, "loss");
    CHECK_NEAR(value(&m, "decoded/exact"), 1.0 / 3, 1e-15);
    CHECK_NEAR(value(&m, "decoded/length"), 4.0 / 6, 1e-15);
    CHECK_NEAR(value(&m, "decoded/cut"), 1.0 / 3, 1e-15);
    CHECK_NEAR(value(&m, "decoded/aer"), 1 - (2.0 + 3) / (3 + 2), 1e-15); /* seen: two sure ones and the possible one */
    CHECK(value(&m, "decoded/bleu") >= 0 && value(&m, "decoded/bleu") < 100, "bleu");
    arena_close(&a);
}

/* As the measure itself counts the same pairs. */
TEST(texts_are_measured_as_quality_counts_them)
{
    static const Word made[] = {{"the cat sat on a mat", 20}, {"", 0}, {"he go home", 10}},
                      want[] = {{"the cat sat on the mat", 22}, {"a dog", 5}, {"he goes home", 12}},
                      given[] = {{"the cat sit on mat", 18}, {"a dog", 5}, {"he go home", 10}};
    int measures = 0;
    for (int k = 0; metric_text(k); k++) {
        Arena a = {0};
        MetricSet set;
        Counts *c;
        Quality q;
        QualityReport r;
        QualityPair pair[3];
        Measures m = {0};
        QualityOptions option = quality_preset;
        option.tokenize = "none";
        CHECK_OK(metric_open(&set, &a, &shape, (const char *[]){metric_text(k), NULL}, NULL));
        CHECK_OK(counts_open(&c, &a, set.counters));
        for (int i = 0; i < 3; i++) {
            const MetricExample e = {.truth.text = want[i], .guess.text = made[i], .source = given[i], .index = 40 + i};
            pair[i] = (QualityPair){made[i], &want[i], given[i], 40 + i};
            CHECK_OK(metric_add(&set, c, &e, &a));
        }
        CHECK_OK(metric_report(&set, c, &m));
        CHECK_OK(quality_open(&q, &a, metric_text(k), &option, 1));
        CHECK_OK(quality_whole(&q, 3, pair, &a, &r));
        assert_int_equal(m.n, r.n);
        assert_int_equal(set.source, q.def->source);
        for (int i = 0; i < r.n; i++) CHECK_NEAR(m.item[i].value, r.item[i].value, 0);
        measures += m.n;
        arena_close(&a);
    }
    assert_int_equal(measures, 8); /* ROUGE has four */
}

TEST(a_sum_has_the_same_bits_in_every_order_and_split)
{
    enum { N = 5000 };
    static double x[N];
    long double plain = 0;
    const RandomKey key = random_key(1, RANDOM_TEST, 0);
    for (int i = 0; i < N; i++) {
        x[i] = ldexp(random_uniform(key, (uint64_t)i, 0) - 0.1, (int)random_below(key, (uint64_t)i, 1, 40) - 20);
        plain += x[i];
    }
    double first = 0;
    for (int parts = 1; parts < 8; parts++) {
        int64_t sum[8][EXACT_COUNTERS] = {{0}};
        for (int i = 0; i < N; i++) {
            const int64_t at = random_permute(random_key(2, RANDOM_TEST, (uint64_t)parts), i, N);
            exact_add(sum[at % parts], x[at]);
        }
        for (int p = 1; p < parts; p++)
            for (int k = 0; k < EXACT_COUNTERS; k++) sum[0][k] += sum[p][k];
        const double now = exact_value(sum[0]);
        if (parts == 1) first = now;
        CHECK(memcmp(&now, &first, sizeof now) == 0, "%.17g in %d parts, %.17g in one", now, parts, first);
    }
    CHECK(fabs(first - (double)plain) <= N * ldexp(1, -41) + fabs(first) * 0x1p-52, "%.17g, not %.17g", first,
          (double)plain);
}

TEST(sums_at_the_edges)
{
    int64_t sum[EXACT_COUNTERS] = {0};
    exact_add(sum, -ldexp(1, -40));
    CHECK_NEAR(exact_value(sum), 0, 1e-11);
    CHECK(exact_value(sum) == -ldexp(1, -40), "%.17g", exact_value(sum));
    exact_add(sum, ldexp(1, 29));
    CHECK(exact_value(sum) == ldexp(1, 29) - ldexp(1, -40) || fabs(exact_value(sum) - ldexp(1, 29)) < 1e-7, "large");
    exact_add(sum, (double)INFINITY);
    CHECK(isnan(exact_value(sum)), "an infinite number was lost");
    int64_t other[EXACT_COUNTERS] = {0};
    exact_add(other, (double)NAN);
    CHECK(isnan(exact_value(other)), "NaN was lost");
    int64_t big[EXACT_COUNTERS] = {0};
    exact_add(big, -ldexp(1, 30));
    CHECK(isnan(exact_value(big)), "too large");
}

TEST(long_names_are_cut_between_characters)
{
    Measures m = {0};
    /* 46 letters, then a character of three bytes that does not fit */
    CHECK_OK(measures_add(&m, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\xE6\xBC\xA2", 1, true));
    CHECK(strlen(m.item[0].name) == 46, "%zu bytes", strlen(m.item[0].name));
    while (m.n < MEASURES_MAX) CHECK_OK(measures_add(&m, "b", 1, true));
    CHECK_SAYS(measures_add(&m, "c", 1, true), ERR_INTERNAL, "c: there are 160 measures already");
    MetricSet set;
    Arena a = {0};
    CHECK_SAYS(metric_open(&set, &a, &shape, (const char *[]){"beauty", NULL}, NULL), ERR_INTERNAL,
               "beauty is not a metric");
    arena_close(&a);
}

/* Sequences of up to six words or tags, some of them right, with numbers, texts, losses, groups and links: all that a
 * metric may read.
 */
static void add_drawn(const MetricSet *set, Counts *c, Arena *a, uint64_t number, bool one)
{
    static const char *const text[] = {"cat dog", "dog", "emu emu yak cat", "yak cat dog"};
    int32_t truth[6], guess[6];
    double loss[6], far[6];
    const RandomKey key = random_key(1, RANDOM_TEST, number);
    const int64_t n = one ? 1 : 1 + (int64_t)(number % 6);
    for (int64_t i = 0; i < n; i++) {
        truth[i] = (int32_t)random_below(key, (uint64_t)i, 0, 4);
        guess[i] = random_uniform(key, (uint64_t)i, 1) < 0.6 ? truth[i] : (int32_t)random_below(key, (uint64_t)i, 2, 4);
        loss[i] = random_uniform(key, (uint64_t)i, 3);
        far[i] = random_uniform(key, (uint64_t)i, 4) - 0.5;
    }
    const int64_t links[4] = {0, (int64_t)number % 2, 1, 1}, sure[4] = {0, 0, 1, 1};
    const Word first = {text[number % 4], strlen(text[number % 4])},
               second = {text[number % 3], strlen(text[number % 3])};
    const MetricExample e = {.truth = {.n = n, .id = truth, .value = loss, .words = 2, .text = first},
                             .guess = {.n = n, .id = guess, .value = far, .words = 3, .text = second},
                             .n_losses = n,
                             .loss = loss,
                             .source = first,
                             .group = (int32_t)(number % 3),
                             .cut = number % 5 == 0,
                             .links = {2, links},
                             .sure = {1 + (int64_t)number % 2, sure},
                             .possible = {2, sure}};
    CHECK_OK(metric_add(set, c, &e, a));
}

static void check_parts(const char *name, bool one)
{
    Arena a = {0};
    MetricSet set;
    static const char *const tags[] = {"O", "B-cat", "I-cat", "B-dog"};
    MetricShape linked = shape;
    linked.class_name = tags;
    linked.links = true;
    CHECK_OK(metric_open(&set, &a, &linked, (const char *[]){name, NULL}, NULL));
    Counts *whole, *part[3];
    CHECK_OK(counts_open(&whole, &a, set.counters));
    for (int p = 0; p < 3; p++) CHECK_OK(counts_open(&part[p], &a, set.counters));
    for (uint64_t i = 0; i < 40; i++) add_drawn(&set, whole, &a, i, one);
    for (uint64_t i = 40; i-- > 0;) add_drawn(&set, part[i * i % 3], &a, i, one); /* backwards, and of uneven size */
    int64_t counted = 0;
    for (int64_t k = 0; k < set.counters; k++) {
        const int64_t sum = part[0]->value[k] + part[1]->value[k] + part[2]->value[k];
        CHECK(sum == whole->value[k], "%s: counter %lld is %lld in parts, not %lld", name, (long long)k, (long long)sum,
              (long long)whole->value[k]);
        counted += sum != 0;
    }
    CHECK(counted > 0, "%s counted nothing", name);
    Measures m = {0};
    CHECK_OK(metric_report(&set, whole, &m));
    for (int i = 0; i < m.n; i++) CHECK(isfinite(m.item[i].value), "%s: %s is not a number", name, m.item[i].name);
    CHECK(m.n > 0 || strcmp(name, "confusion") == 0, "%s reports nothing", name);
    counts_clear(whole);
    CHECK_OK(metric_report(&set, whole, &m)); /* of nothing: no fault */
    arena_close(&a);
}

TEST(every_metric_counts_parts_of_a_split_as_it_counts_the_whole)
{
    for (int i = 0; metric_choice(i); i++) {
        check_parts(metric_choice(i)->name, true);
        check_parts(metric_choice(i)->name, false);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(every_metric_counts_parts_of_a_split_as_it_counts_the_whole),
        RUN(measures_of_six_examples_are_those_worked_out_by_hand),
        RUN(an_error_of_five_per_cent_has_not_failed),
        RUN(a_rare_answer_is_never_right),
        RUN(measures_of_whole_outputs_are_those_worked_out_by_hand),
        RUN(texts_are_measured_as_quality_counts_them),
        RUN(a_sum_has_the_same_bits_in_every_order_and_split),
        RUN(sums_at_the_edges),
        RUN(long_names_are_cut_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
