/* Losses of tasks: gradients against central differences; chains of tags against all sequences that there are. */
#include "gradient.h"

static const int64_t offset[] = {0, 3, 3, 4, 8};
static const Segments segments = {4, offset}; /* one has no rows */

static void check(const GradientCase *c)
{
    gradient_check(c, 1e-8);
    gradient_without_memory(c);
}

static Node *yes_or_no(Tape *t, Node *const *x, const void *context)
{
    static const real yes[] = {1, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 1};
    (void)context;
    return op_sigmoid_cross_entropy(t, x[0], yes);
}

TEST(labels_are_yes_or_no)
{
    check(&(GradientCase){.n = 1, .shape = {SHAPE2(3, 4)}, .build = yes_or_no, .spread = 3});
    Arena a = {0};
    Tape t = tape_begin(&a);
    real x[] = {700, -700, 2, -3}, yes[] = {1, 0, 0, 1};
    const Node *y = op_sigmoid_cross_entropy(&t, tape_leaf(&t, SHAPE1(4), x, NULL), yes);
    CHECK_NEAR(y->value[0], -log(1 - 1 / (1 + exp(-2.0))) - log(1 / (1 + exp(3.0))), 1e-12);
    arena_close(&a);
}

static Node *one_of(Tape *t, Node *const *x, const void *context)
{
    static const int64_t some[] = {0, 3, 4, 8};
    static const int32_t target[] = {2, 0, 1};
    (void)context;
    return op_segment_cross_entropy(t, op_reshape(t, x[0], SHAPE1(8)), (Segments){3, some}, target);
}

TEST(one_row_of_each_segment)
{
    check(&(GradientCase){.n = 1, .shape = {SHAPE2(2, 4)}, .build = one_of, .spread = 3});
    Arena a = {0};
    Tape t = tape_begin(&a);
    real x[8] = {0};
    const int32_t wrong[] = {0, 0, 1, 2};
    (void)op_segment_cross_entropy(&t, tape_leaf(&t, SHAPE1(8), x, NULL), segments, wrong);
    CHECK_SAYS(tape_status(&t), ERR_DATA, "choice 0 of segment 1 is not one of its 0 rows");
    arena_close(&a);
}

/* --- Chains --- */

enum { K = 3, N = 8 };
static const int32_t tag[N] = {2, 0, 1, 1, 0, 0, 2, 1};

static Node *chain(Tape *t, Node *const *x, const void *context)
{
    (void)context;
    return op_crf_loss(t, x[0], x[1], tag, segments, NULL);
}

TEST(gradient_of_a_chain)
{
    check(&(GradientCase){.n = 2, .shape = {SHAPE2(N, K), SHAPE2(K + 2, K)}, .build = chain, .spread = 2});
}

/* Sequence `number` of n tags, as digits to the base K. */
static void digits(int64_t number, int64_t n, int32_t *y)
{
    for (int64_t i = n - 1; i >= 0; i--, number /= K) y[i] = (int32_t)(number % K);
}

static double plain_score(const real *x, const real *a, int64_t n, const int32_t *y)
{
    double sum = n ? (double)(a[K * K + y[0]] + a[(K + 1) * K + y[n - 1]]) : 0;
    for (int64_t i = 0; i < n; i++) sum += (double)x[i * K + y[i]];
    for (int64_t i = 1; i < n; i++) sum += (double)a[y[i - 1] * K + y[i]];
    return sum;
}

/* What all sequences say: -log p of the true one, the likeliest, and expected less observed uses of each number. */
static double enumerate(const real *x, const real *a, int64_t n, const int32_t *truth, int32_t *best, double *dx,
                        double *da)
{
    int32_t y[N];
    int64_t all = 1;
    double z = 0, most = -INFINITY;
    for (int64_t i = 0; i < n; i++) all *= K;
    for (int64_t k = 0; k < all; k++) {
        digits(k, n, y);
        const double score = plain_score(x, a, n, y);
        z += exp(score);
        if (score > most) memcpy(best, y, (size_t)n * sizeof *y);
        most = fmax(most, score);
    }
    for (int64_t k = -1; n > 0 && k < all; k++) {
        if (k >= 0) digits(k, n, y);
        const int32_t *at = k < 0 ? truth : y;
        const double p = k < 0 ? -1 : exp(plain_score(x, a, n, y)) / z;
        da[K * K + at[0]] += p;
        da[(K + 1) * K + at[n - 1]] += p;
        for (int64_t i = 0; i < n; i++) dx[i * K + at[i]] += p;
        for (int64_t i = 1; i < n; i++) da[at[i - 1] * K + at[i]] += p;
    }
    return n ? log(z) - plain_score(x, a, n, truth) : 0;
}

TEST(a_chain_is_what_all_its_sequences_say)
{
    Arena arena = {0};
    for (int seed = 0; seed < 20; seed++) {
        real x[N * K], a[(K + 2) * K], loss[4];
        real dx[N * K] = {0}, da[(K + 2) * K] = {0};
        double want_x[N * K] = {0}, want_a[(K + 2) * K] = {0}, sum = 0, rows[4];
        int32_t best[N], guess[N];
        for (int i = 0; i < N * K; i++) x[i] = 3 * gradient_number((uint64_t)(1000 * seed + i));
        for (int i = 0; i < (K + 2) * K; i++) a[i] = 2 * gradient_number((uint64_t)(1000 * seed + 500 + i));
        Tape t = tape_begin(&arena);
        Node *nx = tape_leaf(&t, SHAPE2(N, K), x, dx), *na = tape_leaf(&t, SHAPE2(K + 2, K), a, da);
        Node *y = op_crf_loss(&t, nx, na, tag, segments, loss);
        CHECK_OK(tape_backward(&t, y, 1));
        op_crf_rows(&t, nx, na, tag, segments, rows, guess);
        CHECK_OK(tape_status(&t));
        for (int i = 0; i < 4; i++) {
            const int64_t first = offset[i], n = offset[i + 1] - first;
            const double want = enumerate(x + first * K, a, n, tag + first, best + first, want_x + first * K, want_a);
            CHECK_NEAR(loss[i], want, 1e-12);
            CHECK_NEAR(rows[i], want, 1e-12);
            sum += want;
        }
        CHECK_NEAR(y->value[0], sum, 1e-12);
        assert_memory_equal(guess, best, sizeof guess);
        for (int i = 0; i < N * K; i++) CHECK_NEAR(dx[i], want_x[i], 1e-12);
        for (int i = 0; i < (K + 2) * K; i++) CHECK_NEAR(da[i], want_a[i], 1e-12);
        op_crf_rows(&t, nx, na, guess, segments, rows, guess); /* the likeliest may be asked for its own cost */
        for (int i = 0; i < 4; i++) CHECK(rows[i] <= (double)loss[i] && rows[i] >= 0, "sequence %d", i);
    }
    arena_close(&arena);
}

TEST(long_chains_stay_finite_and_wrong_ones_are_refused)
{
    enum { LONG = 3000 };
    static real x[LONG * K];
    static int32_t y[LONG];
    real a[(K + 2) * K] = {0};
    const int64_t whole[] = {0, LONG};
    Arena arena = {0};
    Tape t = tape_begin(&arena);
    for (int i = 0; i < LONG; i++) x[i * K + i % K] = 50;
    for (int i = 0; i < LONG; i++) y[i] = i % K;
    Node *nx = tape_leaf(&t, SHAPE2(LONG, K), x, NULL), *na = tape_leaf(&t, SHAPE2(K + 2, K), a, NULL);
    CHECK_NEAR(op_crf_loss(&t, nx, na, y, (Segments){1, whole}, NULL)->value[0], 0, 1e-9);
    y[7] = K;
    (void)op_crf_loss(&t, nx, na, y, (Segments){1, whole}, NULL);
    CHECK_SAYS(tape_status(&t), ERR_DATA, "tag 3 of position 7 is not one of the 3 tags 0 to 2");
    t = tape_begin(&arena);
    (void)op_crf_loss(&t, nx, tape_leaf(&t, SHAPE2(K, K), a, NULL), y, (Segments){1, whole}, NULL);
    CHECK_SAYS(tape_status(&t), ERR_INTERNAL, "crf of (3000,3) with transitions (3,3) over 1 sequences");
    arena_close(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(labels_are_yes_or_no), RUN(one_row_of_each_segment),
                                       RUN(gradient_of_a_chain), RUN(a_chain_is_what_all_its_sequences_say),
                                       RUN(long_chains_stay_finite_and_wrong_ones_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
