/* ranks.h - tests that run on several ranks: `comm` for all of them, and an end for all when one of them fails. */
#ifndef TESTS_RANKS_H
#define TESTS_RANKS_H
#include <stdio.h>

#include "check.h"
#include "comm/comm.h"

static Comm *comm;

/* Run the tests one by one. A rank whose test failed has left the others in a collective: it ends them all. */
static int ranks_run(int argc, char **argv, const struct CMUnitTest *tests, size_t n)
{
    if (comm_init(&comm, &argc, &argv) != OK) comm_abort(comm, ERR_COMM);
    if (comm_rank(comm) > 0 && !freopen("/dev/null", "w", stdout)) return 1;
    for (size_t i = 0; i < n; i++)
        if (_cmocka_run_group_tests(tests[i].name, &tests[i], 1, NULL, NULL) != 0) {
            (void)status_fail(ERR_CHECK, __FILE__, __LINE__, __func__, "%s failed", tests[i].name);
            comm_abort(comm, ERR_CHECK);
        }
    comm_finalize(comm);
    return 0;
}

/* Every rank holds the same bytes as rank 0. */
static inline void ranks_same(const void *mine, size_t bytes, const char *what)
{
    char *all = test_malloc(bytes * (size_t)comm_size(comm) + 1);
    CHECK_OK(comm_allgather(comm, mine, bytes, all));
    for (int r = 1; r < comm_size(comm); r++)
        CHECK(memcmp(all, all + (size_t)r * bytes, bytes) == 0, "%s: rank %d differs from rank 0", what, r);
    test_free(all);
}

#define RANKS_MAIN(tests)                                                                                              \
    int main(int argc, char **argv) { return ranks_run(argc, argv, (tests), sizeof(tests) / sizeof *(tests)); }

#endif
