/* The norm is that of all gradients together, however they are stored. */
#include "check.h"
#include "trainer/core/clip.h"

enum { ROWS = 9, WIDTH = 5, N = ROWS * WIDTH };

typedef struct Setup {
    Params ps;
    Param *w, *table;
    ParamRows rows;
    int32_t row[ROWS];
    real grad[N];
} Setup;

static double number(int i) { return cos(3.7 * i) * 2; }

/* Rows 0, 2, 4 ... of the table have a gradient; row 0 is padding, and the one of `w` too. */
static void setup(Setup *s, Arena *a, bool as_rows)
{
    *s = (Setup){.ps = {.arena = a}};
    CHECK_OK(param_add(&s->w, &s->ps, "w", SHAPE2(ROWS, WIDTH), INIT_ZERO, 0));
    CHECK_OK(param_add(&s->table, &s->ps, "table", SHAPE2(ROWS, WIDTH), INIT_ZERO, 0));
    s->w->zero_row = s->table->zero_row = true;
    s->table->as_rows = as_rows;
    CHECK_OK(params_allocate(&s->ps, 1));
    for (int i = 0; i < N; i++) s->w->grad[i] = (real)number(i);
    for (int r = 0; r < ROWS; r += 2) {
        for (int k = 0; k < WIDTH; k++)
            *(as_rows ? &s->grad[s->rows.n * WIDTH + k] : &s->table->grad[r * WIDTH + k]) =
                (real)number(100 + r * WIDTH + k);
        s->row[s->rows.n++] = r;
    }
    s->rows.row = s->row;
    s->rows.grad = s->grad;
    s->table->rows = as_rows ? &s->rows : NULL;
}

static double plain_norm(void)
{
    double sum = 0;
    for (int i = WIDTH; i < N; i++) {
        sum += number(i) * number(i);
        if (i / WIDTH % 2 == 0) sum += number(100 + i) * number(100 + i);
    }
    return sqrt(sum);
}

TEST(the_norm_is_that_of_rows_and_dense_gradients_together)
{
    for (int as_rows = 0; as_rows < 2; as_rows++) {
        Arena a = {0};
        Setup s;
        setup(&s, &a, as_rows);
        CHECK_NEAR(clip_norm_of(&s.ps), plain_norm(), 1e-6);
        CHECK_NEAR(clip_norm(&s.ps, 40), plain_norm(), 1e-6);
        CHECK((double)s.w->grad[7] == (double)(real)number(7), "a norm below the limit changes nothing");
        CHECK_NEAR(clip_norm(&s.ps, 0.5), plain_norm(), 1e-6);
        CHECK_NEAR(clip_norm_of(&s.ps), 0.5, 1e-6);
        CHECK_NEAR(s.w->grad[7], number(7) * 0.5 / plain_norm(), 1e-6);
        arena_close(&a);
    }
}

TEST(a_gradient_that_is_not_finite_is_left_for_the_caller_to_see)
{
    Arena a = {0};
    Setup s;
    setup(&s, &a, true);
    s.grad[2 * WIDTH] = (real)INFINITY;
    CHECK(isinf(clip_norm(&s.ps, 1)), "infinite");
    CHECK((double)s.w->grad[7] == (double)(real)number(7), "scaled all the same");
    s.grad[2 * WIDTH] = (real)NAN;
    CHECK(isnan(clip_norm(&s.ps, 1)), "not a number");
    arena_close(&a);
}

TEST(values_are_bounded_on_both_sides)
{
    Arena a = {0};
    Setup s;
    setup(&s, &a, true);
    clip_value(&s.ps, 0.25);
    for (int i = WIDTH; i < N; i++) CHECK_NEAR(s.w->grad[i], fmax(-0.25, fmin(0.25, number(i))), 1e-6);
    for (int k = 0; k < WIDTH; k++)
        CHECK_NEAR(s.grad[WIDTH + k], fmax(-0.25, fmin(0.25, number(100 + 2 * WIDTH + k))), 1e-6);
    arena_close(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(the_norm_is_that_of_rows_and_dense_gradients_together),
                                       RUN(a_gradient_that_is_not_finite_is_left_for_the_caller_to_see),
                                       RUN(values_are_bounded_on_both_sides)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
