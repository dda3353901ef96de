/* Gradients of selections, in double: central differences where there are any, else the property that defines them. */
#include "select.h"

enum { N = 7 };
static const double H = 1e-6; /* differences are good to about H^2 + 1e-16 / H = 1e-10 */

static double value(const SelectDef *def, const SelectSettings *s, SelectCase *c)
{
    select_forward(def, s, &c->row);
    double sum = 0;
    for (int64_t i = 0; i < c->row.n; i++) sum += c->weight[i] * c->d_weight[i];
    return sum;
}

/* d_score of weights . d_weight against differences with the same noise. No case stands where a step changes the
 * support of a sparse selection: there the derivative has a jump. */
static void check_differences(const SelectDef *def, const SelectSettings *s, SelectCase *c)
{
    value(def, s, c);
    select_backward(def, s, &c->row, c->d_weight, c->d_score);
    for (int64_t i = 0; i < c->row.n; i++) {
        const real keep = c->score[i];
        c->score[i] = keep + H;
        const double up = value(def, s, c);
        c->score[i] = keep - H;
        const double down = value(def, s, c);
        c->score[i] = keep;
        CHECK_NEAR(c->d_score[i], (up - down) / (2 * H), 1e-8);
    }
}

TEST(gradients_are_central_differences)
{
    static const char *const names[] = {"soft", "gumbel", "sparsemax", "entmax15"};
    static SelectCase c;
    for (int s = 0; s < 4; s++)
        for (uint64_t number = 0; number < 40; number++) {
            const SelectSettings settings = {.temperature = number % 2 ? 0.6 : 1.7};
            select_case(&c, number < 30 ? N : 150, number % 3 ? 2 : 0.4, number);
            c.row.train = true;
            check_differences(select_find(names[s]), &settings, &c);
        }
}

TEST(gradients_are_added)
{
    static SelectCase a, b;
    const SelectSettings settings = {.temperature = 1, .reinforce = 0.5, .entropy = 0.1};
    for (int s = 0; select_name(s); s++) {
        const SelectDef *def = select_find(select_name(s));
        select_case(&a, N, 1, 3);
        select_case(&b, N, 1, 3);
        a.row.reward = b.row.reward = 2;
        for (int i = 0; i < N; i++) b.d_score[i] = 10 + i;
        select_forward(def, &settings, &a.row);
        select_backward(def, &settings, &a.row, a.d_weight, a.d_score);
        select_forward(def, &settings, &b.row);
        select_backward(def, &settings, &b.row, b.d_weight, b.d_score);
        for (int i = 0; i < N; i++) CHECK_NEAR(b.d_score[i], a.d_score[i] + 10 + i, 1e-14);
    }
}

/* The straight-through gradient is that of the softmax (of the relaxed draw) at the same scores and noise. */
TEST(straight_through_is_the_gradient_of_the_soft_weights)
{
    static SelectCase a, b;
    const SelectSettings soft = {.temperature = 0.8}, hard = {.temperature = 0.8, .straight_through = true};
    for (int s = 0; s < 2; s++) {
        const SelectDef *relaxed = select_find(s ? "gumbel" : "soft"), *choice = select_find(s ? "gumbel" : "hard_max");
        select_case(&a, N, 1.5, 11);
        select_case(&b, N, 1.5, 11);
        a.row.train = b.row.train = true;
        select_forward(relaxed, &soft, &a.row);
        select_backward(relaxed, &soft, &a.row, a.d_weight, a.d_score);
        select_forward(choice, &hard, &b.row);
        select_backward(choice, &hard, &b.row, b.d_weight, b.d_score);
        double sum = 0;
        for (int i = 0; i < N; i++) {
            CHECK_NEAR(b.d_score[i], a.d_score[i], 1e-14);
            CHECK(b.weight[i] == 0 || b.weight[i] == 1, "%.3g", b.weight[i]);
            sum += b.d_score[i];
        }
        CHECK_NEAR(sum, 0, 1e-14); /* adding a number to all scores changes no choice */
    }
}

/* E_a[-reward_a] - lambda_e H over all choices, from the scores alone. */
static double expectation(const SelectCase *c, const SelectSettings *s, const double *reward)
{
    double z = 0, sum = 0, h = 0;
    for (int i = 0; i < N; i++) z += exp(c->score[i]);
    for (int i = 0; i < N; i++) {
        const double p = exp(c->score[i]) / z;
        sum -= s->reinforce * p * reward[i];
        h -= p * log(p);
    }
    return sum - s->entropy * h;
}

TEST(reinforce_has_the_gradient_of_the_expectation_whatever_the_baseline)
{
    static SelectCase c;
    const SelectSettings settings = {.reinforce = 0.7, .entropy = 0.2};
    const SelectDef *def = select_find("hard_sample");
    const double reward[N] = {-1.5, -0.2, -3, -0.9, -2.2, -0.1, -5}, scale = 0.25;
    for (int b = 0; b < 3; b++) {
        double mean[N] = {0}, penalty = 0, p[N];
        select_case(&c, N, 1, 21);
        c.row.train = true;
        select_forward(def, &settings, &c.row);
        memcpy(p, c.kept, sizeof p);
        for (int a = 0; a < N; a++) { /* as if a had been drawn */
            select_one(N, a, c.weight);
            c.row.reward = reward[a] - (b - 1) * 2.5;
            c.row.scale = scale;
            memset(c.d_score, 0, sizeof c.d_score);
            select_backward(def, &settings, &c.row, c.d_weight, c.d_score);
            for (int i = 0; i < N; i++) mean[i] += p[a] * c.d_score[i];
            penalty += p[a] * select_penalty(def, &settings, &c.row);
        }
        for (int i = 0; i < N; i++) {
            const real keep = c.score[i];
            c.score[i] = keep + H;
            const double up = expectation(&c, &settings, reward);
            c.score[i] = keep - H;
            const double down = expectation(&c, &settings, reward);
            c.score[i] = keep;
            CHECK_NEAR(mean[i], scale * (up - down) / (2 * H), 1e-9);
        }
        const SelectSettings spread = {.entropy = 0.2};
        CHECK_NEAR(penalty, expectation(&c, &spread, reward), 1e-14);
    }
}

TEST(sparse_selections_equal_bisection_and_their_identities)
{
    static SelectCase c, d;
    static double expected[SELECT_MOST];
    static const SelectSettings none = {0};
    for (int power = 1; power <= 2; power++)
        for (uint64_t number = 0; number < 40; number++) {
            const int64_t n = 1 + (int64_t)(number * 5 % 200);
            const SelectDef *def = select_find(power == 1 ? "sparsemax" : "entmax15");
            select_case(&c, n, number % 2 ? 2 : 0.2, number);
            select_forward(def, &none, &c.row);
            select_bisect(&c, power, expected);
            for (int64_t i = 0; i < n; i++) CHECK_NEAR(c.weight[i], expected[i], 1e-13);
            /* the same number added to all scores changes nothing; the projection of a point of the simplex is itself
             */
            select_case(&d, n, 1, number);
            for (int64_t i = 0; i < n; i++) d.score[i] = power == 1 ? c.weight[i] : c.score[i] + 0.75;
            select_forward(def, &none, &d.row);
            for (int64_t i = 0; i < n; i++) CHECK_NEAR(d.weight[i], c.weight[i], 1e-13);
        }
}

/* For two positions both have a closed form: sparsemax (1 + e) / 2 of a difference e within 1 (Martins 2016); entmax15
 * solves a^(1/2) - (1 - a)^(1/2) = e / 2. */
TEST(two_positions_have_the_closed_form)
{
    static SelectCase c;
    static const SelectSettings none = {0};
    for (int step = -30; step <= 30; step++) {
        select_case(&c, 2, 1, 0);
        c.score[0] = step / 10.0;
        c.score[1] = 0;
        select_forward(select_find("sparsemax"), &none, &c.row);
        CHECK_NEAR(c.weight[0], fmin(1, fmax(0, (1 + c.score[0]) / 2)), 1e-15);
        select_forward(select_find("entmax15"), &none, &c.row);
        const double e = fmin(2, fmax(-2, c.score[0]));
        CHECK_NEAR(sqrt(c.weight[0]) - sqrt(c.weight[1]), e / 2, 1e-15);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(gradients_are_central_differences),
        RUN(gradients_are_added),
        RUN(straight_through_is_the_gradient_of_the_soft_weights),
        RUN(reinforce_has_the_gradient_of_the_expectation_whatever_the_baseline),
        RUN(sparse_selections_equal_bisection_and_their_identities),
        RUN(two_positions_have_the_closed_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
