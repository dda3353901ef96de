/* Initial values are what the papers say; rows of several uses join to one list. */
#include "check.h"
#include "trainer/core/params.h"

TEST(orthogonal_blocks_are_orthogonal)
{
    Arena a = {0};
    Params ps = {.arena = &a};
    Param *wide, *tall;
    CHECK_OK(param_add(&wide, &ps, "wide", SHAPE2(5, 15), INIT_ORTHOGONAL, 1));
    CHECK_OK(param_add(&tall, &ps, "tall", SHAPE2(14, 7), INIT_ORTHOGONAL, 2));
    CHECK_OK(params_allocate(&ps, 3));
    for (int gate = 0; gate < 3; gate++)
        for (int i = 0; i < 5; i++)
            for (int j = 0; j < 5; j++) {
                double dot = 0;
                for (int k = 0; k < 5; k++)
                    dot += (double)wide->value[k * 15 + gate * 5 + i] * (double)wide->value[k * 15 + gate * 5 + j];
                CHECK_NEAR(dot, i == j, 1e-6);
            }
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 7; j++) {
            double dot = 0;
            for (int k = 0; k < 7; k++) dot += (double)tall->value[i * 7 + k] * (double)tall->value[j * 7 + k];
            CHECK_NEAR(dot, i == j ? 4 : 0, 4e-6);
        }
    arena_close(&a);
}

TEST(initial_values_depend_on_the_name_and_the_seed_alone)
{
    real kept[12];
    for (int round = 0; round < 2; round++) {
        Arena a = {0};
        Params ps = {.arena = &a};
        Param *p, *other;
        if (round == 1) CHECK_OK(param_add(&other, &ps, "other", SHAPE2(9, 9), INIT_NORMAL, 1));
        CHECK_OK(param_add(&p, &ps, "embed", SHAPE2(4, 3), INIT_UNIFORM, 0.5));
        CHECK_OK(params_allocate(&ps, 7));
        for (int i = 0; i < 12; i++) CHECK(fabs((double)p->value[i]) <= 0.5, "value %d", i);
        if (round == 0)
            memcpy(kept, p->value, sizeof kept);
        else
            assert_memory_equal(kept, p->value, sizeof kept);
        arena_close(&a);
    }
}

TEST(rows_of_three_uses_join_in_order)
{
    Arena a = {0};
    real g1[] = {1, 10, 2, 20}, g2[] = {5, 50}, g3[] = {7, 70, 8, 80, 9, 90};
    ParamRows third = {3, (int32_t[]){0, 4, 9}, g3, NULL}, second = {1, (int32_t[]){4}, g2, &third},
              first = {2, (int32_t[]){2, 4}, g1, &second};
    Param p = {.name = "table", .shape = SHAPE2(10, 2), .rows = &first};
    CHECK_OK(param_merge_rows(&p, &a));
    const int32_t rows[] = {0, 2, 4, 9};
    const real sums[] = {7, 70, 1, 10, 2 + 5 + 8, 20 + 50 + 80, 9, 90};
    assert_int_equal(p.rows->n, 4);
    assert_null(p.rows->next);
    assert_memory_equal(p.rows->row, rows, sizeof rows);
    assert_memory_equal(p.rows->grad, sums, sizeof sums);
    arena_close(&a);
}

TEST(a_name_is_declared_once)
{
    Arena a = {0};
    Params ps = {.arena = &a};
    Param *p;
    CHECK_OK(param_add(&p, &ps, "w", SHAPE1(3), INIT_ZERO, 0));
    CHECK_SAYS(param_add(&p, &ps, "w", SHAPE1(3), INIT_ZERO, 0), ERR_INTERNAL, "parameter w is declared twice");
    arena_close(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(orthogonal_blocks_are_orthogonal),
                                       RUN(initial_values_depend_on_the_name_and_the_seed_alone),
                                       RUN(rows_of_three_uses_join_in_order), RUN(a_name_is_declared_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
