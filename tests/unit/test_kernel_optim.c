/* Optimiser kernels of all levels: an element's result does not depend on its place, and put-off momentum is the same.
 */
#include "check.h"
#include "trainer/core/kernel.h"

enum { N = 203 };

#define EACH_LEVEL(k)                                                                                                  \
    for (int level_ = CPU_BASE; level_ <= CPU_V4; level_++)                                                            \
        for (const Kernels *k = kernels_at((CpuLevel)level_); k; k = NULL)

static real number(int64_t i) { return (real)sin(1.7 * (double)i + 0.3); }

typedef struct Values {
    real g[N], p[N], a[N], b[N];
} Values;

static void fill(Values *x)
{
    for (int i = 0; i < N; i++) {
        x->g[i] = number(i);
        x->p[i] = number(i + 1000);
        x->a[i] = number(i + 2000) * number(i + 2000);
        x->b[i] = number(i + 3000) * number(i + 3000);
    }
}

static const MomentumStep plain = {(real)0.01, (real)0.001, (real)0.9, false},
                          nesterov = {(real)0.01, 0, (real)0.9, true};
static const SquareStep square = {(real)0.01, (real)0.001, (real)1e-6, (real)0.95, (real)0.05};
static const AdamStep adam = {(real)0.01,  (real)3.1,   (real)1e-8, (real)0.9,  (real)0.1,
                              (real)0.999, (real)0.001, (real)0.01, (real)0.999};

enum { KINDS = 9 };

static void apply(const Kernels *k, int kind, Values *x, int64_t from, int64_t n)
{
    real *g = x->g + from, *p = x->p + from, *a = x->a + from, *b = x->b + from;
    switch (kind) {
    case 0: k->sgd(n, (real)0.01, (real)0.001, g, p); break;
    case 1: k->momentum(n, &plain, g, a, p); break;
    case 2: k->momentum(n, &nesterov, g, a, p); break;
    case 3: k->adagrad(n, (real)0.01, (real)0.001, (real)1e-10, g, a, p); break;
    case 4: k->adadelta(n, &square, g, a, b, p); break;
    case 5: k->rmsprop(n, &square, g, a, p); break;
    case 6: k->adam(n, &adam, g, a, b, p); break;
    case 7: k->approach(n, (real)0.01, g, p); break;
    default: k->momentum_idle(n, &plain, 3, g, a, p); break; /* three rates: those at the start of the run */
    }
}

TEST(an_element_does_not_depend_on_its_place)
{
    static Values whole, parts;
    EACH_LEVEL(k)
    {
        for (int kind = 0; kind < KINDS - 1; kind++)
            for (int piece = 1; piece < 70; piece += 1 + piece / 3) {
                fill(&whole);
                fill(&parts);
                apply(k, kind, &whole, 0, N);
                for (int from = 0; from < N; from += piece)
                    apply(k, kind, &parts, from, N - from < piece ? N - from : piece);
                CHECK(memcmp(&whole, &parts, sizeof whole) == 0, "%s: kind %d in pieces of %d", k->level, kind, piece);
            }
    }
}

/* Numbers that are subnormal or near it make a step many times slower and change nothing. */
TEST(moments_that_are_next_to_nothing_become_nothing)
{
    static const real tiny = (real)1e-36;
    EACH_LEVEL(k)
    {
        Values x;
        memset(&x, 0, sizeof x);
        const AdamStep s = {.rate = (real)0.01,
                            .root = 1,
                            .eps = (real)1e-8,
                            .beta1 = (real)0.5,
                            .rest1 = (real)0.5,
                            .beta2 = (real)0.5,
                            .rest2 = (real)0.5,
                            .kept = 1};
        for (int i = 0; i < N; i++) {
            x.a[i] = (i % 2 ? -1 : 1) * (real)(1 + i % 5) * tiny;
            x.b[i] = (real)(1 + i % 7) * tiny;
        }
        k->adam(N, &s, x.g, x.a, x.b, x.p);
        for (int i = 0; i < N; i++) {
            const real m = (real)0.5 * (i % 2 ? -1 : 1) * (real)(1 + i % 5) * tiny;
            const real v = (real)0.5 * (real)(1 + i % 7) * tiny;
            CHECK(x.a[i] == (fabs((double)m) < (double)tiny ? 0 : m), "%s: mean %d: %g", k->level, i, (double)x.a[i]);
            CHECK(x.b[i] == (v < tiny ? 0 : v), "%s: square %d: %g", k->level, i, (double)x.b[i]);
        }
    }
}

TEST(nothing_is_written_behind_the_end)
{
    static Values before, after;
    EACH_LEVEL(k)
    {
        for (int kind = 0; kind < KINDS; kind++)
            for (int n = 0; n < 70; n++) {
                fill(&before);
                fill(&after);
                apply(k, kind, &after, 5, n);
                for (int i = 0; i < N; i++)
                    CHECK((i >= 5 && i < 5 + n) ||
                              (after.p[i] == before.p[i] && after.a[i] == before.a[i] && after.b[i] == before.b[i]),
                          "%s: kind %d, %d elements: %d was written", k->level, kind, n, i);
            }
    }
}

/* Also over so many steps that the momentum becomes 0. */
TEST(momentum_without_gradients_is_the_same_step_by_step_and_at_once)
{
    static Values one, all;
    static real rate[1500];
    for (int t = 0; t < 1500; t++) rate[t] = (real)0.01 * number(t) * number(t);
    const MomentumStep *steps[] = {&plain, &nesterov};
    EACH_LEVEL(k)
    {
        for (int s = 0; s < 2; s++)
            for (int n = 1; n <= N; n += 101) {
                fill(&one);
                fill(&all);
                k->momentum_idle(n, steps[s], 1500, rate, all.a, all.p);
                memset(one.g, 0, sizeof one.g);
                MomentumStep step = *steps[s];
                for (int t = 0; t < 1500; t++) {
                    step.rate = rate[t];
                    k->momentum(n, &step, one.g, one.a, one.p);
                }
                CHECK(memcmp(one.p, all.p, sizeof one.p) == 0 && memcmp(one.a, all.a, sizeof one.a) == 0,
                      "%s: %d elements", k->level, n);
                CHECK(s == 0 || all.a[0] == 0, "the momentum is %g", (double)all.a[0]);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(an_element_does_not_depend_on_its_place), RUN(moments_that_are_next_to_nothing_become_nothing),
        RUN(nothing_is_written_behind_the_end), RUN(momentum_without_gradients_is_the_same_step_by_step_and_at_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
