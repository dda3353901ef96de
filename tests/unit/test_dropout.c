/* Dropout: its rate and mean, and what an element's fate hangs on. */
#include "check.h"
#include "trainer/op/op.h"

enum { N = 400, D = 53 };

static Node *ones(Tape *t, int64_t rows)
{
    real *x = tape_alloc(t, (size_t)(rows * D) * sizeof *x);
    CHECK(x, "out of memory");
    for (int64_t i = 0; i < rows * D; i++) x[i] = 1;
    return tape_leaf(t, SHAPE2(rows, D), x, NULL);
}

static Tape training(Arena *a, uint64_t step)
{
    Tape t = tape_begin(a);
    t.train = true;
    t.step = step;
    return t;
}

TEST(the_share_and_the_mean_are_as_stated)
{
    Arena a = {0};
    uint64_t key[N];
    for (int i = 0; i < N; i++) key[i] = op_row_key(i, 3);
    Tape t = training(&a, 1);
    const Node *y = op_dropout(&t, ones(&t, N), 0.3, key);
    CHECK_OK(tape_status(&t));
    int64_t zero = 0;
    for (int64_t i = 0; i < N * D; i++) {
        zero += y->value[i] == 0;
        if (y->value[i] != 0) CHECK_NEAR(y->value[i], 1 / 0.7, 2e-5); /* p is rounded to 2^-16 */
    }
    const double sigma = sqrt(N * D * 0.3 * 0.7);
    CHECK(fabs((double)zero - N * D * 0.3) < 5 * sigma, "%lld of %d are dropped", (long long)zero, N * D);
    arena_close(&a);
}

TEST(an_element_hangs_on_its_key_and_column_alone)
{
    Arena a = {0};
    const uint64_t key[3] = {5, 6, 7}, other[1] = {6};
    Tape t = training(&a, 1), u = training(&a, 1), v = training(&a, 2);
    const Node *y = op_dropout(&t, ones(&t, 3), 0.5, key), *z = op_dropout(&u, ones(&u, 1), 0.5, other);
    const Node *next = op_dropout(&v, ones(&v, 1), 0.5, other), *again = op_dropout(&u, ones(&u, 1), 0.5, other);
    assert_memory_equal(y->value + D, z->value, D * sizeof(real));
    CHECK(memcmp(y->value, z->value, D * sizeof(real)) != 0, "two rows have the same mask");
    CHECK(memcmp(next->value, z->value, D * sizeof(real)) != 0, "two steps have the same mask");
    CHECK(memcmp(again->value, z->value, D * sizeof(real)) != 0, "two uses in a step have the same mask");
    arena_close(&a);
}

TEST(nothing_is_dropped_in_evaluation_or_at_rate_0)
{
    Arena a = {0};
    const uint64_t key[1] = {5};
    Tape t = tape_begin(&a);
    Node *x = ones(&t, 1);
    assert_ptr_equal(op_dropout(&t, x, 0.5, key), x);
    t.train = true;
    assert_ptr_equal(op_dropout(&t, x, 0, key), x);
    arena_close(&a);
}

TEST(masks_are_those_of_the_random_bits_at_every_level)
{
    enum { MOST = 300 };
    for (int level = CPU_BASE; level <= CPU_V4; level++)
        for (const Kernels *k = kernels_at((CpuLevel)level); k; k = NULL)
            for (int n = 1; n <= MOST; n += 13) {
                const RandomKey key = random_key(3, RANDOM_TEST, (uint64_t)n);
                const uint64_t row = (uint64_t)n << 37 | 5;
                uint8_t stays[MOST + 1];
                stays[n] = 77;
                k->dropout_draw(key, row, n, 20000, stays);
                for (int c = 0; c < n; c++) {
                    uint32_t bits[4];
                    random_bits(key, row, (uint64_t)(c / 8), bits);
                    const uint32_t own = c % 2 ? bits[c % 8 / 2] >> 16 : bits[c % 8 / 2] & 0xffff;
                    CHECK(stays[c] == (own >= 20000), "%s: column %d of %d", k->level, c, n);
                }
                CHECK(stays[n] == 77, "%s: written beyond the row", k->level);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(the_share_and_the_mean_are_as_stated), RUN(an_element_hangs_on_its_key_and_column_alone),
        RUN(masks_are_those_of_the_random_bits_at_every_level), RUN(nothing_is_dropped_in_evaluation_or_at_rate_0)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
