/* Rows of logits over a vocabulary in float: the company of a row changes no bit, whatever the pieces. */
#include "check.h"
#include "trainer/op/op.h"

static real number(uint64_t i)
{
    i = (i + 1) * 0x9e3779b97f4a7c15u;
    i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9u;
    return (real)((double)((i ^ i >> 31) >> 11) * 0x1p-52 - 1);
}

static real *numbers(Arena *a, int64_t n, real scale, uint64_t from)
{
    real *x = arena_zeros(a, n, sizeof *x);
    CHECK(x, "out of memory");
    for (int64_t i = 0; i < n; i++) x[i] = scale * number(from + (uint64_t)i);
    return x;
}

enum { N = 1100, D = 37, V = 8200 };

TEST(a_row_alone_and_in_training_has_the_same_loss_and_guess)
{
    Arena a = {0};
    real *x = numbers(&a, N * D, 1, 1), *w = numbers(&a, V * D, 1, 70000), *b = numbers(&a, V, 3, 7);
    real *dw = arena_zeros(&a, V * D, sizeof *dw), *trained = arena_zeros(&a, N, sizeof *trained);
    double *loss = arena_zeros(&a, N, sizeof *loss);
    int32_t *guess = arena_zeros(&a, N, sizeof *guess), *target = arena_zeros(&a, N, sizeof *target);
    CHECK(dw && trained && loss && guess && target, "out of memory");
    for (int64_t i = 0; i < N; i++) target[i] = (int32_t)(i * 7919 % V);
    Tape t = tape_begin(&a);
    Node *table = tape_leaf(&t, SHAPE2(V, D), w, dw), *bias = tape_leaf(&t, SHAPE1(V), b, NULL);
    Node *rows = tape_leaf(&t, SHAPE2(N, D), x, NULL);
    op_output_rows(&t, rows, table, bias, target, loss, guess);
    (void)op_output_loss(&t, rows, table, bias, target, 0.1, trained);
    CHECK_OK(tape_status(&t));
    for (int64_t r = 0; r < N; r++) CHECK(trained[r] == (real)loss[r], "row %lld in training", (long long)r);
    for (int64_t r = 0; r < N; r += 61) {
        double one;
        int32_t best;
        op_output_rows(&t, tape_leaf(&t, SHAPE2(1, D), x + r * D, NULL), table, bias, target + r, &one, &best);
        CHECK(one == loss[r] && best == guess[r], "row %lld alone", (long long)r);
    }
    CHECK_OK(tape_status(&t));
    arena_close(&a);
}

static long double plain(int64_t n, const real *x)
{
    long double most = x[0], sum = 0;
    for (int64_t i = 1; i < n; i++) most = fmaxl(most, x[i]);
    for (int64_t i = 0; i < n; i++) sum += expl((long double)x[i] - most);
    return most + logl(sum);
}

TEST(the_log_of_the_sum_is_good_to_a_part_in_a_million_at_each_level_and_length)
{
    Arena a = {0};
    const int64_t length[] = {1, 5, 16, 63, 64, 65, 511, 513, 8001, 50000};
    for (int l = CPU_BASE; l <= CPU_V4; l++) {
        const Kernels *k = kernels_at((CpuLevel)l);
        for (int i = 0; k && i < (int)(sizeof length / sizeof *length); i++) {
            const int64_t n = length[i];
            real *x = numbers(&a, n, 9, (uint64_t)n);
            for (int64_t j = 0; j < n; j++) x[j] -= 20; /* lanes behind the end would be larger */
            x[n / 3] = x[n - 1] = -2;
            int64_t best;
            const double all = k->log_sum_exp(n, x, &best), want = (double)plain(n, x);
            CHECK(best == n / 3, "%s, %lld: the first of the largest is %lld", k->level, (long long)n, (long long)best);
            CHECK(fabs(all - want) < 1e-6 && all >= (double)x[best], "%s, %lld: %.9g, exact %.9g", k->level,
                  (long long)n, all, want);
            real *g = arena_zeros(&a, n, sizeof *g);
            memcpy(g, x, (size_t)n * sizeof *g);
            double mean, sum = 0;
            CHECK(k->softmax_gradient(n, 2, (real)0.001, g, &mean) == all, "other bits than log_sum_exp");
            for (int64_t j = 0; j < n; j++) sum += (double)x[j] / (double)n;
            CHECK_NEAR(mean, sum, 1e-5);
            for (int64_t j = 0; j < n; j++) CHECK_NEAR(g[j], 2 * (exp((double)x[j] - want) - 0.001), 2e-6);
        }
    }
    arena_close(&a);
}

TEST(a_number_that_is_none_makes_the_loss_one)
{
    real x[40] = {0};
    int64_t best;
    x[33] = (real)NAN;
    CHECK(isnan(kernels()->log_sum_exp(40, x, &best)), "NaN is lost");
    x[33] = (real)INFINITY;
    CHECK(isnan(kernels()->log_sum_exp(40, x, &best)), "inf is lost");
    for (int i = 0; i < 40; i++) x[i] = (real)NAN;
    CHECK(isnan(kernels()->log_sum_exp(40, x, &best)) && best >= 0 && best < 40, "all are NaN");
}

TEST(the_logits_of_a_large_vocabulary_are_never_all_there)
{
    enum { WORDS = 50000, ROWS = 3200, WIDTH = 8 };
    Arena a = {0};
    Tape t = tape_begin(&a);
    real *x = numbers(&a, ROWS * WIDTH, 1, 1), *w = numbers(&a, WORDS * WIDTH, 1, 5);
    real *dx = arena_zeros(&a, ROWS * WIDTH, sizeof *dx), *dw = arena_zeros(&a, WORDS * WIDTH, sizeof *dw);
    int32_t *target = arena_zeros(&a, ROWS, sizeof *target);
    Node *loss = op_output_loss(&t, tape_leaf(&t, SHAPE2(ROWS, WIDTH), x, dx),
                                tape_leaf(&t, SHAPE2(WORDS, WIDTH), w, dw), NULL, target, 0, NULL);
    CHECK_OK(tape_backward(&t, loss, 1));
    CHECK(a.bytes < (size_t)160 << 20, "%zu bytes, all logits would be %zu", a.bytes,
          (size_t)ROWS * WORDS * sizeof(real));
    arena_close(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(a_row_alone_and_in_training_has_the_same_loss_and_guess),
                                       RUN(the_log_of_the_sum_is_good_to_a_part_in_a_million_at_each_level_and_length),
                                       RUN(a_number_that_is_none_makes_the_loss_one),
                                       RUN(the_logits_of_a_large_vocabulary_are_never_all_there)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
