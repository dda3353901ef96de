/* Packed products against a plain loop, and their rows alone against the same rows in company. */
#include "check.h"
#include "trainer/core/panel.h"

static Arena arena;

static real number(int64_t i) { return (real)sin(1.7 * (double)i + 0.3); }

static real *numbers(int64_t n, int64_t from)
{
    real *x = arena_zeros(&arena, n, sizeof *x);
    for (int64_t i = 0; i < n; i++) x[i] = number(from + i);
    return x;
}

static void check_product(const Kernels *k, int64_t m, int64_t n, int64_t depth, int gates, bool transposed, real beta,
                          bool biased)
{
    const int64_t lda = depth + 3, ldc = n + 2;
    const real *a = numbers(m * lda, 1), *b = numbers(n * depth, 5), *bias = numbers(n, 99);
    real *c = numbers(m * ldc, 7), *before = numbers(m * ldc, 7);
    Panel p = {.k = depth, .n = n, .gates = gates};
    p.packed = arena_alloc(&arena, (size_t)(depth * (n + (gates + 1) * k->lanes)) * sizeof(real));
    k->panel_pack(&p, b, transposed ? depth : n, transposed);
    k->panel_gemm(m, a, lda, &p, beta, biased ? bias : NULL, c, ldc);
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j < n; j++) {
            double sum = biased ? (double)bias[j] : 0;
            for (int64_t l = 0; l < depth; l++)
                sum += (double)a[i * lda + l] * (double)(transposed ? b[j * depth + l] : b[l * n + j]);
            sum += (double)beta * (double)before[i * ldc + j];
            CHECK_NEAR(c[i * ldc + j], sum, 1e-6 * (4 + sqrt((double)depth)));
        }
        CHECK(c[i * ldc + n] == before[i * ldc + n], "%s: wrote beyond row %d", k->level, (int)i);
    }
    /* each row alone */
    for (int64_t i = 0; i < m; i++) {
        real *one = arena_alloc(&arena, (size_t)ldc * sizeof(real));
        memcpy(one, before + i * ldc, (size_t)ldc * sizeof(real));
        k->panel_gemm(1, a + i * lda, lda, &p, beta, biased ? bias : NULL, one, ldc);
        CHECK(memcmp(one, c + i * ldc, (size_t)n * sizeof(real)) == 0, "%s: row %d of %d differs when alone", k->level,
              (int)i, (int)m);
    }
}

TEST(products_agree_with_a_plain_loop_and_rows_do_not_know_each_other)
{
    const int64_t sizes[][3] = {{1, 1, 1},     {8, 48, 10},    {7, 50, 33},   {64, 100, 50}, {65, 17, 256},
                                {13, 47, 257}, {130, 33, 600}, {3, 150, 512}, {5, 7, 0},     {0, 5, 5}};
    for (int level = CPU_BASE; level <= CPU_V4; level++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (int t = 0; t < 8; t++) {
                const Kernels *k = kernels_at((CpuLevel)level);
                const ArenaMark mark = arena_mark(&arena);
                if (k) check_product(k, sizes[s][0], sizes[s][1], sizes[s][2], 0, t & 1, t & 2 ? (real)0.5 : 0, t & 4);
                arena_release(&arena, mark);
            }
}

TEST(columns_regrouped_by_unit_come_back_where_they_were)
{
    const int64_t sizes[][3] = {{1, 1, 1}, {8, 16, 10}, {7, 50, 33}, {20, 9, 257}, {3, 31, 512}};
    for (int level = CPU_BASE; level <= CPU_V4; level++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (int gates = 1; gates <= 4; gates++)
                for (int t = 0; t < 4; t++) {
                    const Kernels *k = kernels_at((CpuLevel)level);
                    const ArenaMark mark = arena_mark(&arena);
                    if (k)
                        check_product(k, sizes[s][0], gates * sizes[s][1], sizes[s][2], gates, false,
                                      t & 1 ? (real)0.5 : 0, t & 2);
                    arena_release(&arena, mark);
                }
}

TEST(a_panel_from_an_arena_multiplies)
{
    const real *a = numbers(6, 0), *b = numbers(12, 3);
    real c[8], d[8];
    Panel p, q;
    CHECK_OK(panel_pack(&p, &arena, b, false, 3, 4));
    CHECK_OK(panel_pack_part(&q, &arena, b, 4, false, 3, 2));
    panel_gemm(2, a, 3, &p, 0, c, 4);
    panel_gemm_bias(2, a, 3, &q, b, d, 4);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++) {
            real sum = 0;
            for (int l = 0; l < 3; l++) sum += a[i * 3 + l] * b[l * 4 + j];
            CHECK_NEAR(c[i * 4 + j], sum, 1e-6);
            if (j < 2) CHECK_NEAR(d[i * 4 + j], sum + b[j], 1e-6);
        }
}

TEST(lack_of_memory_is_a_failure)
{
    const real b[4] = {1, 2, 3, 4};
    Panel p;
    arena.fail_in = 1;
    CHECK_FAILS(panel_pack(&p, &arena, b, false, 2, 2), ERR_HOST);
    arena.fail_in = 1;
    CHECK_FAILS(panel_pack_gates(&p, &arena, b, 2, 1, 2), ERR_HOST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(products_agree_with_a_plain_loop_and_rows_do_not_know_each_other),
                                       RUN(columns_regrouped_by_unit_come_back_where_they_were),
                                       RUN(a_panel_from_an_arena_multiplies), RUN(lack_of_memory_is_a_failure)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_close(&arena);
    return failed;
}
