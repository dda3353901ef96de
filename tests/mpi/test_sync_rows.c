/* Rows of all ranks are added in the order of the ranks: the sums of a plain loop, the same bits everywhere. */
#include "ranks.h"
#include "trainer/parallel/sync_rows.h"

enum { V = 40, D = 7, OTHER = 11 };

static real number(int rank, int use, int row, int k) { return (real)sin(1 + rank * 3.1 + use * 0.7 + row * 1.3 + k); }
/* Rank `rank` has this row in its use (0 or 1) of the table; the last rank has nothing. */
static bool has(int rank, int use, int row)
{
    return rank + 1 < comm_size(comm) + (comm_size(comm) == 1) && (row * 7 + rank + use) % 3 == 0;
}

static void add_use(Arena *a, Param *p, int rank, int use)
{
    ParamRows *r = arena_zeros(a, 1, sizeof *r);
    int32_t *row = arena_zeros(a, V, sizeof *row);
    const int64_t width = p->shape.d[1];
    r->grad = arena_zeros(a, V * width, sizeof *r->grad);
    for (int v = 0; v < p->shape.d[0]; v++) {
        if (!has(rank, use, v)) continue;
        for (int k = 0; k < width; k++) r->grad[r->n * width + k] = number(rank, use, v, k);
        row[r->n++] = v;
    }
    r->row = row;
    ParamRows **end = &p->rows;
    while (*end) end = &(*end)->next;
    *end = r;
}

static void make(Arena *a, Params *ps, Param *p[3])
{
    *ps = (Params){.arena = a};
    CHECK_OK(param_add(&p[0], ps, "words", SHAPE2(V, D), INIT_ZERO, 0));
    CHECK_OK(param_add(&p[1], ps, "dense", SHAPE2(3, 3), INIT_ZERO, 0));
    CHECK_OK(param_add(&p[2], ps, "other", SHAPE2(OTHER, 1), INIT_ZERO, 0));
    p[0]->as_rows = p[2]->as_rows = true;
    CHECK_OK(params_allocate(ps, 1));
    for (int use = 0; use < 2; use++) add_use(a, p[0], comm_rank(comm), use);
    add_use(a, p[2], comm_rank(comm), 0);
}

static void check_table(const Param *p, int uses, int64_t weight)
{
    const int64_t width = p->shape.d[1];
    int64_t at = 0;
    for (int v = 0; v < p->shape.d[0]; v++) {
        double sum[D] = {0};
        bool any = false;
        for (int r = 0; r < comm_size(comm); r++)
            for (int use = 0; use < uses; use++) {
                if (!has(r, use, v)) continue;
                any = true;
                for (int k = 0; k < width; k++) sum[k] += (double)number(r, use, v, k) / (double)weight;
            }
        if (!any) continue;
        CHECK(at < p->rows->n && p->rows->row[at] == v, "row %d of %s is missing", v, p->name);
        for (int k = 0; k < width; k++) CHECK_NEAR(p->rows->grad[at * width + k], sum[k], 1e-6);
        at++;
    }
    CHECK(at == p->rows->n && !p->rows->next, "%lld rows, wanted %lld", (long long)p->rows->n, (long long)at);
    ranks_same(p->rows->row, (size_t)at * sizeof *p->rows->row, "rows");
    ranks_same(p->rows->grad, (size_t)(at * width) * sizeof *p->rows->grad, "gradients");
}

TEST(rows_of_all_ranks_are_added_and_divided)
{
    for (int64_t weight = 1; weight < 8; weight += 6) {
        Arena a = {0};
        Params ps;
        Param *p[3];
        make(&a, &ps, p);
        CHECK_OK(sync_rows(comm, &ps, weight, &a));
        check_table(p[0], 2, weight);
        check_table(p[2], 1, weight);
        arena_close(&a);
    }
}

TEST(nothing_to_add_is_fine)
{
    Arena a = {0};
    Params ps;
    Param *p[3];
    make(&a, &ps, p);
    p[0]->rows = p[2]->rows = NULL;
    CHECK_OK(sync_rows(comm, &ps, 3, &a));
    CHECK(!p[0]->rows || p[0]->rows->n == 0, "rows out of nothing");
    p[0]->as_rows = p[2]->as_rows = false;
    CHECK_OK(sync_rows(comm, &ps, 3, &a));
    arena_close(&a);
}

TEST(each_allocation_may_fail_on_each_rank_and_all_say_so)
{
    for (int bad = 0; bad < comm_size(comm); bad++)
        for (long n = 1;; n++) {
            Arena a = {0};
            Params ps;
            Param *p[3];
            make(&a, &ps, p);
            a.fail_in = comm_rank(comm) == bad ? n : 0;
            const Status st = sync_rows(comm, &ps, 3, &a);
            int64_t reached = comm_rank(comm) == bad && a.fail_in == 0;
            CHECK_OK(comm_allreduce(comm, &reached, 1, COMM_I64, COMM_MAX));
            arena_close(&a);
            if (!reached) {
                CHECK(st == OK && n > 4, "%ld allocations", n);
                break;
            }
            CHECK_FAILS(st, ERR_HOST);
            CHECK(strstr(status_text(), "out of memory"), "%s", status_text());
        }
}

static const struct CMUnitTest tests[] = {RUN(rows_of_all_ranks_are_added_and_divided), RUN(nothing_to_add_is_fine),
                                          RUN(each_allocation_may_fail_on_each_rank_and_all_say_so)};
RANKS_MAIN(tests)
