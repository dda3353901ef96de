/* Sums in shared memory: of any part of it, of any number of ranks, with the bits of a plain loop over the ranks.
 * Run on two hosts by test_hosts.sh. */
#include "comm/shared.h"

#include "comm/reduce.h"
#include "ranks.h"

enum { N = 70001 };

static double value(int r, int i) { return sin(1.7 * i + 3 * r) * pow(10, (i + 5 * r) % 7); }

/* Each host's ranks one after the other, then the hosts: of one or two, whose sum has no order. */
static double plain(CommType type, int i)
{
    const int n = comm_size(comm), here = comm_local_size(comm), hosts = n / here;
    CHECK(hosts <= 2 && comm_local_rank(comm) == comm_rank(comm) % here, "the launcher spreads the ranks otherwise");
    float f[2] = {0};
    double d[2] = {0};
    for (int r = 0; r < n; r++) {
        f[r / here] = r % here ? f[r / here] + (float)value(r, i) : (float)value(r, i);
        d[r / here] = r % here ? d[r / here] + value(r, i) : value(r, i);
    }
    if (hosts == 1) return type == COMM_F32 ? (double)f[0] : d[0];
    return type == COMM_F32 ? (double)(f[0] + f[1]) : d[0] + d[1];
}

static void put(void *x, CommType type, int i, double v)
{
    if (type == COMM_F32)
        ((float *)x)[i] = (float)v;
    else
        ((double *)x)[i] = v;
}

static double get(const void *x, CommType type, int i)
{
    return type == COMM_F32 ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

/* Elements from..to-1 are summed, the others stay. */
static void check(void *x, CommType type, int from, int to, size_t bucket)
{
    const size_t width = type == COMM_F32 ? 4 : 8;
    const int me = comm_rank(comm);
    for (int i = 0; i < N; i++) put(x, type, i, value(me, i));
    CHECK_OK(
        reduce_sum(comm, reduce_find("shared"), (char *)x + (size_t)from * width, (size_t)(to - from), type, bucket));
    for (int i = 0; i < N; i++) {
        const double own = type == COMM_F32 ? (double)(float)value(me, i) : value(me, i);
        const double want = i >= from && i < to ? plain(type, i) : own;
        CHECK(get(x, type, i) == want, "element %d of %d to %d: %.17g, not %.17g", i, from, to, get(x, type, i), want);
    }
    CHECK_OK(comm_barrier(comm)); /* the next values are written when all have looked */
}

TEST(any_part_is_summed_in_the_order_of_the_ranks_of_a_host)
{
    void *x = NULL;
    CHECK_OK(comm_shared(comm, N * sizeof(double), &x));
    CHECK((x != NULL) == (comm_local_size(comm) > 1), "%d ranks on this host", comm_local_size(comm));
    if (!x) return;
    for (int type = COMM_F32; type <= COMM_F64; type++) {
        check(x, (CommType)type, 0, N, 0);
        check(x, (CommType)type, 0, N, 40000);
        check(x, (CommType)type, 17, 18, 0);
        check(x, (CommType)type, 3, N - 5, 4096);
        check(x, (CommType)type, 5, 5, 0);
    }
}

TEST(memory_that_is_asked_for_again_is_zero_and_larger_when_it_must_be)
{
    for (size_t n = 100; n < 1000000; n *= 30) {
        void *mine = NULL;
        CHECK_OK(comm_shared(comm, n * sizeof(float), &mine));
        if (comm_local_size(comm) == 1) return;
        float *x = mine;
        CHECK(x, "no memory");
        for (size_t i = 0; i < n; i++) CHECK(x[i] == 0, "element %zu is %g", i, (double)x[i]);
        for (size_t i = 0; i < n; i++) x[i] = 1;
        CHECK_OK(reduce_sum(comm, reduce_find("shared"), x, n, COMM_F32, 0));
        for (size_t i = 0; i < n; i++) CHECK(x[i] == (float)comm_size(comm), "element %zu is %g", i, (double)x[i]);
    }
}

TEST(where_there_is_no_such_memory_the_sum_is_by_message)
{
    void *x = NULL;
    float own[100];
    CHECK_OK(comm_shared(comm, (size_t)1 << 55, &x));
    CHECK(!x, "32 PiB");
    for (int i = 0; i < 100; i++) own[i] = (float)(i + comm_rank(comm));
    CHECK_OK(reduce_sum(comm, reduce_find("shared"), own, 100, COMM_F32, 0));
    const int n = comm_size(comm);
    for (int i = 0; i < 100; i++)
        CHECK(own[i] == (float)(i * n + n * (n - 1) / 2), "element %d is %g", i, (double)own[i]);
    CHECK_OK(comm_shared(comm, 4096, &x)); /* a smaller piece is there again */
    CHECK((x != NULL) == (comm_local_size(comm) > 1), "after a failure");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {RUN(any_part_is_summed_in_the_order_of_the_ranks_of_a_host),
                                       RUN(memory_that_is_asked_for_again_is_zero_and_larger_when_it_must_be),
                                       RUN(where_there_is_no_such_memory_the_sum_is_by_message)};
    return ranks_run(argc, argv, tests, sizeof tests / sizeof *tests);
}
