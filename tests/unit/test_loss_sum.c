/* Sums of losses are integers: exact in any order, and at their largest value when a training diverged. */
#include <math.h>

#include "check.h"
#include "trainer/train/gradient.h"

TEST(sums_are_exact_in_any_order)
{
    const LossSum a = {3, 10, 30, INT64_C(1) << 32}, b = {1, 2, 5, (INT64_C(3) << 32) + 1};
    LossSum x = a, y = b;
    gradient_sum_loss(&x, &b, 4);
    gradient_sum_loss(&y, &a, 4);
    CHECK(x.loss == y.loss && x.examples == 4 && x.tokens == 12 && x.weight == 35, "%lld", (long long)x.loss);
    CHECK(gradient_mean_loss(&(LossSum){2, 0, 4, INT64_C(4) << 32}) == 1, "four words, loss 1 each");
    CHECK(isnan(gradient_mean_loss(&(LossSum){0})), "no example");
}

TEST(a_sum_that_is_too_large_stays_at_the_largest_that_all_ranks_can_add)
{
    for (int ranks = 1; ranks <= 4; ranks++) {
        LossSum sum = {0};
        for (int i = 0; i < 8; i++) gradient_sum_loss(&sum, &(LossSum){.loss = INT64_MAX / 2 / ranks}, ranks);
        CHECK(sum.loss == INT64_MAX / ranks, "%d ranks: %lld", ranks, (long long)sum.loss);
        gradient_sum_loss(&sum, &(LossSum){.loss = INT64_MAX}, ranks); /* what a checkpoint of all ranks held */
        CHECK(sum.loss == INT64_MAX / ranks, "%d ranks: %lld", ranks, (long long)sum.loss);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_exact_in_any_order),
        cmocka_unit_test(a_sum_that_is_too_large_stays_at_the_largest_that_all_ranks_can_add)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
