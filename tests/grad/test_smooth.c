/* Cross-entropy with smoothed labels: value by a plain loop, gradient by central differences. */
#include "check.h"
#include "trainer/op/op.h"

enum { N = 3, C = 5 };
static const double SHARE = 0.3;
static const int32_t target[N] = {4, 0, 2};
static const real weight[C] = {1, 2, 0.5, 3, 0.25};

static double plain(const real *x, const real *w)
{
    double sum = 0;
    for (int r = 0; r < N; r++) {
        double z = 0;
        for (int c = 0; c < C; c++) z += exp(x[r * C + c]);
        for (int c = 0; c < C; c++) {
            const double q = SHARE / C + (c == target[r] ? 1 - SHARE : 0);
            sum += (w ? w[target[r]] : 1) * q * (log(z) - x[r * C + c]);
        }
    }
    return sum;
}

TEST(value_and_gradient)
{
    for (int weighted = 0; weighted < 2; weighted++) {
        Arena a = {0};
        real x[N * C], dx[N * C] = {0};
        for (int i = 0; i < N * C; i++) x[i] = 3 * sin(1.3 * i);
        const real *w = weighted ? weight : NULL;
        Tape t = tape_begin(&a);
        Node *y = op_cross_entropy(&t, tape_leaf(&t, SHAPE2(N, C), x, dx), target, w, SHARE);
        CHECK_NEAR(y->value[0], plain(x, w), 1e-14);
        CHECK_OK(tape_backward(&t, y, 2));
        for (int i = 0; i < N * C; i++) {
            const real keep = x[i], h = 1e-5;
            x[i] = keep + h;
            const double up = plain(x, w);
            x[i] = keep - h;
            const double down = plain(x, w);
            x[i] = keep;
            CHECK_NEAR(dx[i], 2 * (up - down) / (2 * h), 1e-8);
        }
        arena_close(&a);
    }
}

TEST(every_allocation_may_fail)
{
    for (long n = 1;; n++) {
        Arena a = {.fail_in = n};
        real x[N * C] = {0}, dx[N * C] = {0};
        Tape t = tape_begin(&a);
        Node *y = op_cross_entropy(&t, tape_leaf(&t, SHAPE2(N, C), x, dx), target, NULL, SHARE);
        Status st = tape_status(&t);
        if (st == OK) st = tape_backward(&t, y, 1);
        const bool reached = a.fail_in == 0;
        arena_close(&a);
        if (!reached) {
            CHECK(st == OK && n > 4, "%ld allocations", n);
            return;
        }
        CHECK_FAILS(st, ERR_HOST);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(value_and_gradient), RUN(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
