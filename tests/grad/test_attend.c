/* Attention of queries that come step by step: the gradient of every combination that has one. */
#include "attend_case.h"

/* A derivative exists but for a null set: everything except the choice of one position. */
static bool differentiable(const SelectDef *s) { return !s->chooses || strcmp(s->component.name, "gumbel") == 0; }

static void check_gradient(AttendCase *c, const char *what)
{
    if (differentiable(c->attend->select)) case_check_gradient(c, what, 1e-8);
}

TEST(gradient_of_every_combination_that_has_one) { case_each(check_gradient); }

TEST(gradient_with_coverage_and_its_loss)
{
    static const char *const select[] = {"soft", "entmax15", "gumbel", NULL};
    for (int i = 0; score_name(i); i++)
        for (int j = 0; select[j]; j++)
            for (int k = 0; range_name(k); k++) {
                AttendCase c;
                AttendSettings s = case_settings(score_name(i), select[j], range_name(k));
                if (score_many(&s.score) || attend_refuses(score_name(i), select[j], range_name(k), NULL)) continue;
                s.coverage_loss = 0.7;
                attend_cover(&s);
                case_open(&c, &s);
                case_check_gradient(&c, score_name(i), 1e-8);
                arena_close(&c.run);
            }
}

TEST(gradient_with_a_guide)
{
    static const int32_t wanted[CASE_SLOTS] = {0, 6, 4, -1, 0, 5, -1, 0, 3, 0};
    for (int i = 0; score_name(i); i++)
        for (int k = 0; range_name(k); k++) {
            AttendCase c;
            const AttendSettings s = case_settings(score_name(i), "soft", range_name(k));
            if (score_many(&s.score) || attend_refuses(score_name(i), "soft", range_name(k), NULL)) continue;
            case_open_guided(&c, &s, 0.6);
            c.wanted = wanted;
            case_check_gradient(&c, score_name(i), 1e-7);
            arena_close(&c.run);
        }
}

TEST(gradient_with_the_penalty_on_rows_that_look_at_the_same_place)
{
    for (int k = 0; range_name(k); k++) {
        AttendCase c;
        const AttendSettings s = case_settings("multi_dim", "soft", range_name(k));
        attend_put(&s.score, "orthogonality", "0.3");
        case_open(&c, &s);
        case_check_gradient(&c, range_name(k), 1e-8);
        arena_close(&c.run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(gradient_of_every_combination_that_has_one),
                                       RUN(gradient_with_coverage_and_its_loss), RUN(gradient_with_a_guide),
                                       RUN(gradient_with_the_penalty_on_rows_that_look_at_the_same_place)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
