/* Selections as they train, in float: weights, choices, draws. */
#include "select.h"

static const SelectSettings plain = {.temperature = 0.7, .reinforce = 1};
static const int64_t sizes[] = {1, 2, 3, 5, 8, 17, 33, 64, 200, 257};
enum { SIZES = sizeof sizes / sizeof *sizes };

TEST(every_selection_is_found_by_its_name)
{
    int n = 0;
    for (; select_name(n); n++) {
        const SelectDef *def = select_find(select_name(n));
        CHECK(def && strcmp(def->component.name, select_name(n)) == 0, "%s", select_name(n));
        CHECK(def->component.help && def->component.source && def->forward && def->backward, "%s", def->component.name);
    }
    assert_int_equal(n, 6);
    assert_null(select_find("softest"));
}

TEST(weights_are_not_negative_and_sum_to_one)
{
    static SelectCase c;
    for (int s = 0; select_name(s); s++)
        for (int i = 0; i < SIZES; i++)
            for (int train = 0; train < 2; train++) {
                select_case(&c, sizes[i], i % 2 ? 6 : 0.5, (uint64_t)i);
                c.row.train = train;
                select_forward(select_find(select_name(s)), &plain, &c.row);
                double sum = 0;
                for (int64_t j = 0; j < sizes[i]; j++) {
                    CHECK(c.weight[j] >= 0, "%s %lld", select_name(s), (long long)j);
                    sum += (double)c.weight[j];
                }
                CHECK_NEAR(sum, 1, 4e-7 * (1 + sqrt((double)sizes[i]))); /* n roundings of 6e-8 of numbers below 1 */
            }
}

TEST(no_positions_give_nothing)
{
    for (int s = 0; select_name(s); s++) {
        static SelectCase c;
        select_case(&c, 0, 1, 0);
        c.row.train = true;
        c.weight[0] = c.kept[0] = 9;
        const SelectDef *def = select_find(select_name(s));
        select_forward(def, &plain, &c.row);
        select_backward(def, &plain, &c.row, c.d_weight, c.d_score);
        CHECK(c.weight[0] == 9 && c.kept[0] == 9 && c.d_score[0] == 0, "%s", def->component.name);
        if (def->penalty) CHECK(select_penalty(def, &plain, &c.row) == 0, "%s", def->component.name);
    }
}

TEST(without_kept_the_weights_are_the_same)
{
    static SelectCase a, b;
    for (int s = 0; select_name(s); s++)
        for (int how = 0; how < 4; how++) {
            const SelectSettings settings = {.temperature = 0.7, .straight_through = how & 1};
            select_case(&a, 33, 2, 8);
            select_case(&b, 33, 2, 8);
            a.row.train = b.row.train = how & 2;
            b.row.kept = NULL;
            select_forward(select_find(select_name(s)), &settings, &a.row);
            select_forward(select_find(select_name(s)), &settings, &b.row);
            assert_memory_equal(a.weight, b.weight, sizeof a.weight);
        }
}

TEST(hard_choices_take_the_first_of_equal_scores)
{
    static const char *const names[] = {"hard_max", "hard_sample", "gumbel"};
    for (int s = 0; s < 3; s++) {
        static SelectCase c;
        select_case(&c, 6, 1, 0);
        for (int i = 0; i < 6; i++) c.score[i] = (real)(i == 2 || i == 4 ? 3 : 1);
        const SelectSettings settings = {.temperature = 0.5, .straight_through = true};
        select_forward(select_find(names[s]), &settings, &c.row);
        for (int i = 0; i < 6; i++) CHECK(c.weight[i] == (i == 2 ? 1 : 0), "%s %d", names[s], i);
    }
}

TEST(a_score_far_below_gets_exactly_nothing_from_sparse_selections)
{
    static SelectCase c;
    select_case(&c, 3, 1, 0);
    c.score[0] = 5;
    c.score[1] = (real)4.5;
    c.score[2] = 2;
    select_forward(select_find("sparsemax"), &plain, &c.row);
    assert_true(c.weight[0] == (real)0.75 && c.weight[1] == (real)0.25 && c.weight[2] == 0);
    c.score[1] = 3; /* (1 - 0)^2 = 1: at a distance of 2 the weight is just 0 */
    select_forward(select_find("entmax15"), &plain, &c.row);
    assert_true(c.weight[0] == 1 && c.weight[1] == 0 && c.weight[2] == 0);
}

TEST(sparse_selections_equal_bisection)
{
    static SelectCase c;
    static double expected[SELECT_MOST];
    for (int power = 1; power <= 2; power++)
        for (int i = 0; i < SIZES; i++)
            for (uint64_t number = 0; number < 20; number++) {
                select_case(&c, sizes[i], number % 3 ? 3 : 0.3, number);
                if (number % 5 == 0) /* equal scores */
                    for (int64_t j = 0; j < sizes[i]; j++) c.score[j] = (real)(0.25 * (double)(j % 4));
                select_forward(select_find(power == 1 ? "sparsemax" : "entmax15"), &plain, &c.row);
                select_bisect(&c, power, expected);
                /* a score below 6 has an error of 2.4e-7 against the highest in float */
                for (int64_t j = 0; j < sizes[i]; j++) CHECK_NEAR(c.weight[j], expected[j], 5e-7);
            }
}

/* Counts of draws against probabilities: a deviation of 5 standard deviations once in 1.7 million. */
static void check_draws(const char *name, const SelectSettings *settings)
{
    enum { N = 5, DRAWS = 20000 };
    static SelectCase c;
    int count[N] = {0};
    real p[N];
    select_case(&c, N, 1.5, 4);
    select_forward(select_find("soft"), settings, &c.row);
    memcpy(p, c.weight, sizeof p);
    c.row.train = true;
    for (int d = 0; d < DRAWS; d++) {
        c.row.row = (uint64_t)d;
        select_forward(select_find(name), settings, &c.row);
        count[select_largest(N, c.weight)]++;
    }
    for (int i = 0; i < N; i++) {
        const double q = (double)p[i], expected = DRAWS * q;
        CHECK(fabs(count[i] - expected) < 5 * sqrt(DRAWS * q * (1 - q)), "%s: %d drawn %d times, expected %.1f", name,
              i, count[i], expected);
    }
}

TEST(hard_sample_draws_with_the_probabilities_of_the_softmax) { check_draws("hard_sample", &plain); }

TEST(gumbel_draws_with_the_probabilities_of_the_softmax)
{
    const SelectSettings settings = {.temperature = 0.3, .straight_through = true};
    check_draws("gumbel", &settings);
}

TEST(a_draw_depends_on_key_row_and_column_alone)
{
    static SelectCase a, b;
    const SelectSettings settings = {.temperature = 0.5};
    select_case(&a, 40, 1, 2);
    select_case(&b, 40, 1, 2);
    a.row.train = b.row.train = true;
    select_forward(select_find("gumbel"), &settings, &a.row);
    select_forward(select_find("gumbel"), &settings, &b.row);
    assert_memory_equal(a.weight, b.weight, sizeof a.weight);
    b.row.column++;
    select_forward(select_find("gumbel"), &settings, &b.row);
    CHECK(memcmp(a.weight, b.weight, sizeof a.weight) != 0, "the column does not matter");
    b.row.column--;
    b.row.row++;
    select_forward(select_find("gumbel"), &settings, &b.row);
    CHECK(memcmp(a.weight, b.weight, sizeof a.weight) != 0, "the row does not matter");
}

TEST(a_low_temperature_makes_gumbel_a_choice)
{
    static SelectCase a, b;
    const SelectSettings soft = {.temperature = 0.001}, hard = {.temperature = 1, .straight_through = true};
    for (uint64_t number = 0; number < 20; number++) {
        select_case(&a, 12, 2, number);
        select_case(&b, 12, 2, number);
        a.row.train = b.row.train = true;
        select_forward(select_find("gumbel"), &soft, &a.row);
        select_forward(select_find("gumbel"), &hard, &b.row);
        for (int i = 0; i < 12; i++) CHECK_NEAR(a.weight[i], b.weight[i], 1e-3);
    }
}

TEST(a_score_that_is_no_number_reaches_the_weights_or_the_gradient)
{
    static SelectCase c;
    for (int s = 0; select_name(s); s++)
        for (int at = 0; at < 4; at++) {
            const SelectDef *def = select_find(select_name(s));
            select_case(&c, 4, 1, 1);
            c.score[at] = (real)NAN;
            c.row.reward = 1;
            select_forward(def, &plain, &c.row);
            select_backward(def, &plain, &c.row, c.d_weight, c.d_score);
            double sum = 0;
            for (int i = 0; i < 4; i++) sum += (double)(c.weight[i] + c.d_score[i]);
            CHECK(isnan(sum), "%s at %d", def->component.name, at);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(every_selection_is_found_by_its_name),
        RUN(weights_are_not_negative_and_sum_to_one),
        RUN(no_positions_give_nothing),
        RUN(without_kept_the_weights_are_the_same),
        RUN(hard_choices_take_the_first_of_equal_scores),
        RUN(a_score_far_below_gets_exactly_nothing_from_sparse_selections),
        RUN(sparse_selections_equal_bisection),
        RUN(hard_sample_draws_with_the_probabilities_of_the_softmax),
        RUN(gumbel_draws_with_the_probabilities_of_the_softmax),
        RUN(a_draw_depends_on_key_row_and_column_alone),
        RUN(a_low_temperature_makes_gumbel_a_choice),
        RUN(a_score_that_is_no_number_reaches_the_weights_or_the_gradient),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
