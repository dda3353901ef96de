/* Random numbers are Philox, are functions of what they are for, and permutations are permutations. */
#include "check.h"
#include "comm/random.h"

/* The vectors that Random123 publishes for philox4x32 with 10 rounds: counter, key, output. */
TEST(bits_are_those_of_the_published_vectors)
{
    static const uint32_t kat[3][10] = {
        {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
        {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x408f276d, 0x41c83b0e, 0xa20bc7c6,
         0x6d5451fd},
        {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09, 0x94fdcceb, 0x5001e420,
         0x24126ea1},
    };
    for (int k = 0; k < 3; k++) {
        const uint32_t *v = kat[k];
        uint32_t out[4];
        random_bits((RandomKey){{v[4], v[5]}}, (uint64_t)v[3] << 32 | v[2], (uint64_t)v[1] << 32 | v[0], out);
        for (int i = 0; i < 4; i++) CHECK(out[i] == v[6 + i], "vector %d word %d is %08x", k, i, out[i]);
    }
}

TEST(keys_differ_by_seed_use_and_number)
{
    RandomKey keys[64];
    int n = 0;
    for (uint64_t seed = 0; seed < 4; seed++)
        for (int use = RANDOM_INIT; use < RANDOM_INIT + 4; use++)
            for (uint64_t number = 0; number < 4; number++)
                keys[n++] = random_key(seed << (seed == 3 ? 32 : 0), (RandomUse)use, number << 31);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) CHECK(memcmp(&keys[i], &keys[j], sizeof keys[i]), "keys %d and %d are equal", i, j);
}

TEST(uniform_and_normal_have_their_moments)
{
    const RandomKey key = random_key(1, RANDOM_TEST, 0);
    enum { ROWS = 400, COLUMNS = 500 };
    const double n = ROWS * COLUMNS;
    double u1 = 0, u2 = 0, g1 = 0, g2 = 0, g4 = 0, least = 1, most = 0;
    for (uint64_t r = 0; r < ROWS; r++)
        for (uint64_t c = 0; c < COLUMNS; c++) {
            const double u = random_uniform(key, r, c), g = random_normal(key, r, c);
            u1 += u;
            u2 += u * u;
            g1 += g;
            g2 += g * g;
            g4 += g * g * g * g;
            least = fmin(least, u);
            most = fmax(most, u);
        }
    /* 5 standard deviations of each mean: sqrt(variance / n) */
    CHECK_NEAR(u1 / n, 0.5, 5 * sqrt(1 / 12.0 / n));
    CHECK_NEAR(u2 / n, 1 / 3.0, 5 * sqrt(4 / 45.0 / n));
    CHECK_NEAR(g1 / n, 0, 5 * sqrt(1 / n));
    CHECK_NEAR(g2 / n, 1, 5 * sqrt(2 / n));
    CHECK_NEAR(g4 / n, 3, 5 * sqrt(96 / n));
    CHECK(least >= 0 && most < 1, "%g to %g", least, most);
}

TEST(below_is_even_and_inside)
{
    const RandomKey key = random_key(2, RANDOM_TEST, 0);
    enum { BINS = 7, DRAWS = 70000 };
    int count[BINS] = {0};
    for (uint64_t i = 0; i < DRAWS; i++) {
        const int64_t x = random_below(key, i, 0, BINS);
        CHECK(x >= 0 && x < BINS, "%lld", (long long)x);
        count[x]++;
    }
    double chi = 0;
    for (int b = 0; b < BINS; b++) chi += (count[b] - DRAWS / 7.0) * (count[b] - DRAWS / 7.0) / (DRAWS / 7.0);
    CHECK(chi < 22.5, "chi-squared %g with 6 degrees of freedom (22.46: one in a thousand)", chi);
    for (uint64_t i = 0; i < 1000; i++) {
        CHECK(random_below(key, i, 1, 1) == 0, "below 1 is 0");
        const int64_t x = random_below(key, i, 2, INT64_MAX);
        CHECK(x >= 0 && x < INT64_MAX, "%lld", (long long)x);
        /* the same product with 128 bits, by long division of the bits */
        uint32_t w[4];
        random_bits(key, i, 3, w);
        const long double bits = (long double)((uint64_t)w[1] << 32 | w[0]);
        const long double want = floorl(bits * 1000003 / 18446744073709551616.0L);
        CHECK((long double)random_below(key, i, 3, 1000003) == want, "row %llu", (unsigned long long)i);
    }
}

/* The upper half of a * b, bit by bit. */
static uint64_t upper_half(uint64_t a, uint64_t b)
{
    uint64_t high = 0, low = 0;
    for (int bit = 63; bit >= 0; bit--) {
        high = high << 1 | low >> 63;
        low <<= 1;
        if (b >> bit & 1) {
            low += a;
            high += low < a;
        }
    }
    return high;
}

TEST(below_scales_all_64_bits)
{
    const RandomKey key = random_key(5, RANDOM_TEST, 0);
    for (uint64_t i = 0; i < 1000; i++) {
        uint32_t w[4];
        random_bits(key, i, 0, w);
        const uint64_t bits = (uint64_t)w[1] << 32 | w[0];
        const int64_t n = INT64_MAX >> i % 60;
        const int64_t x = random_below(key, i, 0, n);
        CHECK((uint64_t)x == upper_half(bits, (uint64_t)n), "row %d: %lld below %lld", (int)i, (long long)x,
              (long long)n);
    }
}

TEST(permute_is_a_permutation_of_every_size)
{
    static unsigned char seen[5000];
    for (int64_t n = 1; n < 5000; n += 1 + n / 8)
        for (uint64_t epoch = 0; epoch < 3; epoch++) {
            const RandomKey key = random_key(3, RANDOM_ORDER, epoch);
            memset(seen, 0, sizeof seen);
            for (int64_t i = 0; i < n; i++) {
                const int64_t x = random_permute(key, i, n);
                CHECK(x >= 0 && x < n && !seen[x], "n %lld: %lld comes twice or is outside", (long long)n,
                      (long long)x);
                seen[x] = 1;
            }
        }
    const RandomKey key = random_key(3, RANDOM_ORDER, 9);
    const int64_t large[] = {INT64_MAX, INT64_C(1) << 62, (INT64_C(1) << 62) + 1, INT64_C(1) << 40};
    for (int k = 0; k < 4; k++)
        for (int64_t i = 0; i < 100; i++) {
            const int64_t x = random_permute(key, large[k] - 1 - i, large[k]);
            CHECK(x >= 0 && x < large[k], "%lld", (long long)x);
        }
}

/* Where does element i go, over many keys? Every place equally often; and each pair of neighbours too. */
TEST(permute_sends_elements_everywhere_equally_often)
{
    enum { KEYS = 6000 };
    const int sizes[] = {2, 3, 5, 10};
    for (int s = 0; s < 4; s++) {
        const int n = sizes[s];
        int place[10][10] = {{0}}, pair[10][10] = {{0}};
        for (uint64_t k = 0; k < KEYS; k++) {
            const RandomKey key = random_key(4, RANDOM_ORDER, k);
            int64_t at[10];
            for (int i = 0; i < n; i++) place[i][at[i] = random_permute(key, i, n)]++;
            pair[at[0]][at[1]]++;
        }
        double chi = 0, chi_pair = 0;
        const double want = KEYS / (double)n, want_pair = KEYS / (double)(n * (n - 1));
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                chi += (place[i][j] - want) * (place[i][j] - want) / want;
                if (i != j) chi_pair += (pair[i][j] - want_pair) * (pair[i][j] - want_pair) / want_pair;
            }
        const double free1 = (n - 1) * (n - 1), free2 = n * (n - 1) - 1; /* degrees of freedom */
        CHECK(chi < free1 + 4 * sqrt(2 * free1) + 6, "n %d: places, chi-squared %g of %g", n, chi, free1);
        CHECK(chi_pair < free2 + 4 * sqrt(2 * free2) + 6, "n %d: pairs, chi-squared %g of %g", n, chi_pair, free2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(bits_are_those_of_the_published_vectors),
        RUN(keys_differ_by_seed_use_and_number),
        RUN(uniform_and_normal_have_their_moments),
        RUN(below_is_even_and_inside),
        RUN(below_scales_all_64_bits),
        RUN(permute_is_a_permutation_of_every_size),
        RUN(permute_sends_elements_everywhere_equally_often),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
