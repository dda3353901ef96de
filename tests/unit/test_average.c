/* Moving averages among the parameters: they lie behind what is learnt and take no part in norm, optimiser and decay.
 */
#include "optim_fixture.h"
#include "trainer/core/tape.h"

static void make(Arena *a, Params *ps, Param **baseline)
{
    Param *p;
    *ps = (Params){.arena = a};
    CHECK_OK(param_add(&p, ps, "first/W", SHAPE2(2, 3), INIT_CONSTANT, 1));
    CHECK_OK(param_average(baseline, ps, "attend/baseline", SHAPE1(2), -4, 0.25));
    CHECK_OK(param_add(&p, ps, "words", SHAPE2(4, 3), INIT_CONSTANT, 1));
    p->as_rows = true;
    CHECK_OK(param_add(&p, ps, "last/W", SHAPE1(3), INIT_CONSTANT, 1));
    CHECK_OK(params_allocate(ps, 1));
}

TEST(averages_lie_between_what_is_learnt_and_the_rows)
{
    Arena a = {0};
    Params ps;
    Param *b;
    make(&a, &ps, &b);
    CHECK(ps.learnt == 9 && ps.dense == 11 && ps.count == 23, "%lld %lld %lld", (long long)ps.learnt,
          (long long)ps.dense, (long long)ps.count);
    CHECK(b->offset == 9 && b->grad == ps.grad + 9, "offset %lld", (long long)b->offset);
    CHECK(b->value[0] == -4 && b->value[1] == -4, "initial values");
    Tape t = tape_begin(&a);
    const Node *n = tape_param(&t, b);
    CHECK(!n->needs_grad && !n->grad && n->value == b->value, "no gradient flows into an average");
    arena_close(&a);
}

TEST(an_average_follows_its_mean_and_nothing_else_does)
{
    Arena a = {0};
    Params ps;
    Param *b;
    make(&a, &ps, &b);
    for (int i = 0; i < 9; i++) ps.grad[i] = 2;
    b->grad[0] = -2;
    b->grad[1] = 1000;
    CHECK_NEAR(clip_norm_of(&ps), 6, 1e-6);
    CHECK_NEAR(clip_norm(&ps, 3), 6, 1e-6);
    clip_value(&ps, 0.5);
    CHECK(ps.grad[0] == (real)0.5 && b->grad[1] == 1000, "clipped with the gradients");
    CHECK_OK(params_move_averages(&ps));
    CHECK(b->value[0] == (real)-3.5 && b->value[1] == 247, "%g %g", (double)b->value[0], (double)b->value[1]);
    const Component *c = fixture_component("adamw");
    Optim *o;
    CHECK_OK(optim_open(&o, &a, c, fixture_settings(c, &a), &ps));
    CHECK_OK(optim_step(o, 0.1));
    CHECK(b->value[0] == (real)-3.5 && b->value[1] == 247, "moved by the optimiser");
    CHECK(ps.value[0] != 1, "what is learnt did not move");
    arena_close(&a);
}

TEST(a_mean_that_is_not_finite_moves_nothing)
{
    Arena a = {0};
    Params ps;
    Param *b;
    make(&a, &ps, &b);
    b->grad[1] = (real)NAN;
    CHECK_SAYS(params_move_averages(&ps), ERR_CHECK, "the mean that attend/baseline follows is not finite");
    CHECK(b->value[0] == -4 && b->value[1] == -4, "moved");
    CHECK_SAYS(param_average(&b, &ps, "other", SHAPE1(1), 0, 1.5), ERR_INTERNAL,
               "average other: its rate is 1.5, but must be above 0 and at most 1");
    arena_close(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(averages_lie_between_what_is_learnt_and_the_rows),
                                       RUN(an_average_follows_its_mean_and_nothing_else_does),
                                       RUN(a_mean_that_is_not_finite_moves_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
