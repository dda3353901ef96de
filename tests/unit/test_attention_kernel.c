/* Kernels of attention by outer queries, at every level, against plain loops. */
#include "check.h"
#include "trainer/core/kernel.h"

enum { MOST = 700, KEYS = 5 };

static real number(int64_t i) { return (real)sin(1.7 * (double)i + 0.3); }

typedef struct Numbers {
    real key[KEYS * MOST], query[MOST], v[MOST], c[MOST], coverage[KEYS], de[KEYS];
    real d_key[KEYS * MOST], d_query[MOST], dv[MOST], dc[MOST], d_coverage[KEYS];
} Numbers;

static void fill(Numbers *x)
{
    real *all = x->key;
    for (int64_t i = 0; i < (int64_t)(sizeof *x / sizeof *all); i++) all[i] = number(i);
}

static double hidden(const Numbers *x, int64_t a, int64_t r, int64_t i, bool covered)
{
    return tanh((double)x->key[r * a + i] + (double)x->query[i] +
                (covered ? (double)x->coverage[r] * (double)x->c[i] : 0));
}

static void check_additive(const Kernels *k, int64_t n, int64_t a, bool covered)
{
    static Numbers x, y;
    fill(&x);
    y = x;
    real e[KEYS] = {0};
    k->additive_score(n, a, x.key, x.query, x.v, covered ? x.coverage : NULL, covered ? x.c : NULL, e);
    k->additive_score_backward(&(AdditiveRows){.n = n,
                                               .a = a,
                                               .key = x.key,
                                               .query = x.query,
                                               .v = x.v,
                                               .coverage = covered ? x.coverage : NULL,
                                               .c = covered ? x.c : NULL,
                                               .de = x.de,
                                               .d_key = x.d_key,
                                               .d_query = x.d_query,
                                               .dv = x.dv,
                                               .d_coverage = covered ? x.d_coverage : NULL,
                                               .dc = covered ? x.dc : NULL});
    const double near = 2e-6;
    for (int64_t r = 0; r < n; r++) {
        double want = 0, to_coverage = (double)y.d_coverage[r];
        for (int64_t i = 0; i < a; i++) {
            const double t = hidden(&x, a, r, i, covered), d = (double)y.de[r] * (double)y.v[i] * (1 - t * t);
            want += t * (double)y.v[i];
            to_coverage += d * (double)y.c[i];
            CHECK_NEAR(x.d_key[r * a + i], (double)y.d_key[r * a + i] + d, near);
        }
        CHECK(fabs((double)e[r] - want) < near * (sqrt((double)a) + fabs(want)), "%s: score %g instead of %g", k->level,
              (double)e[r], want);
        CHECK(fabs((double)x.d_coverage[r] - (covered ? to_coverage : (double)y.d_coverage[r])) <
                  near * (sqrt((double)a) + fabs(to_coverage)),
              "%s: gradient of coverage %g instead of %g", k->level, (double)x.d_coverage[r], to_coverage);
    }
    for (int64_t i = 0; i < a; i++) {
        double dq = (double)y.d_query[i], dv = (double)y.dv[i], dc = (double)y.dc[i];
        for (int64_t r = 0; r < n; r++) {
            const double t = hidden(&x, a, r, i, covered), d = (double)y.de[r] * (double)y.v[i] * (1 - t * t);
            dq += d;
            dv += (double)y.de[r] * t;
            dc += covered ? d * (double)y.coverage[r] : 0;
        }
        CHECK_NEAR(x.d_query[i], dq, near);
        CHECK_NEAR(x.dv[i], dv, near);
        CHECK_NEAR(x.dc[i], dc, near);
    }
    CHECK(a == MOST || (x.d_query[a] == y.d_query[a] && x.dv[a] == y.dv[a] && x.d_key[n * a] == y.d_key[n * a]),
          "%s: wrote beyond its end", k->level);
}

TEST(additive_scores_and_their_gradients_agree_with_a_plain_loop)
{
    static const int64_t width[] = {1, 3, 16, 17, 64, 100, 513, MOST - 1};
    for (int level = CPU_BASE; level <= CPU_V4; level++)
        for (size_t i = 0; i < sizeof width / sizeof *width; i++)
            for (int64_t n = 0; n < KEYS; n++) {
                const Kernels *k = kernels_at((CpuLevel)level);
                if (!k) continue;
                check_additive(k, n, width[i], false);
                check_additive(k, n, width[i], true);
            }
}

TEST(a_key_scores_the_same_whatever_stands_beside_it)
{
    static Numbers x;
    fill(&x);
    for (int level = CPU_BASE; level <= CPU_V4; level++) {
        const Kernels *k = kernels_at((CpuLevel)level);
        real all[KEYS], one;
        if (!k) continue;
        k->additive_score(KEYS, 37, x.key, x.query, x.v, NULL, NULL, all);
        for (int64_t r = 0; r < KEYS; r++) {
            k->additive_score(1, 37, x.key + r * 37, x.query, x.v, NULL, NULL, &one);
            CHECK(memcmp(&one, &all[r], sizeof one) == 0, "%s: key %d", k->level, (int)r);
        }
    }
}

TEST(weighted_rows_are_added_with_their_scale)
{
    static Numbers x, y;
    static const int64_t width[] = {1, 15, 128, 200, 699};
    for (int level = CPU_BASE; level <= CPU_V4; level++)
        for (size_t i = 0; i < sizeof width / sizeof *width; i++)
            for (int64_t n = 0; n < KEYS; n++) {
                const Kernels *k = kernels_at((CpuLevel)level);
                const int64_t d = width[i];
                if (!k) continue;
                fill(&x);
                y = x;
                k->weighted_sum_add(n, d, x.de, x.key, d, (real)0.3, x.d_query);
                for (int64_t c = 0; c < d; c++) {
                    double want = 0;
                    for (int64_t r = 0; r < n; r++) want += (double)x.de[r] * (double)x.key[r * d + c];
                    CHECK_NEAR(x.d_query[c], (double)y.d_query[c] + 0.3 * want, 1e-6);
                }
                CHECK(x.d_query[d] == y.d_query[d], "%s: wrote beyond its end", k->level);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(additive_scores_and_their_gradients_agree_with_a_plain_loop),
                                       RUN(a_key_scores_the_same_whatever_stands_beside_it),
                                       RUN(weighted_rows_are_added_with_their_scale)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
