/* Attention of queries that come step by step: gradients of every combination that has them. */
#include <stdio.h>

#include "attend_case.h"

/* A derivative exists but for a null set: everything except the choice of one position. */
static bool differentiable(const SelectDef *s) { return !s->chooses || strcmp(s->name, "gumbel") == 0; }

TEST(gradient_of_every_combination_that_has_one)
{
    for (int i = 0; score_name(i); i++)
        for (int j = 0; select_name(j); j++)
            for (int k = 0; range_name(k); k++) {
                char what[96];
                snprintf(what, sizeof what, "%s %s %s", score_name(i), select_name(j), range_name(k));
                if (!differentiable(select_find(select_name(j)))) continue;
                if (attend_refuses(score_name(i), select_name(j), range_name(k), "after")) continue;
                AttendCase c;
                const AttendSettings s = case_settings(score_name(i), select_name(j), range_name(k));
                case_open(&c, &s);
                case_check_gradient(&c, what, 1e-8);
                arena_close(&c.run);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(gradient_of_every_combination_that_has_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
