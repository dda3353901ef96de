/* The sum over the lanes is that of the fixed tree, to the last bit, on 1 to 4 ranks. */
#include "ranks.h"
#include "trainer/parallel/lanes_parts.h"

enum { V = 60, D = 5, DENSE_MAX = 300001 };

static real dense_number(int64_t lane, int64_t i)
{
    return (real)(sin(0.7 * (double)i + 2.3 * (double)lane) * exp(sin((double)(lane + i)) * 9));
}
static real row_number(int64_t lane, int64_t row, int k)
{
    return (real)(cos(1.1 * (double)row + 3.7 * (double)lane + k) * 3);
}
static bool has_row(int64_t lane, int64_t row) { return lane != 3 && (row * row + lane) % 5 < 2; }

typedef struct Setup {
    Arena arena;
    Params ps;
    Param *w, *table;
    Lanes *l;
} Setup;

static void setup(Setup *s, int64_t lanes, int64_t dense)
{
    *s = (Setup){0};
    s->ps.arena = &s->arena;
    CHECK_OK(param_add(&s->w, &s->ps, "w", SHAPE1(dense), INIT_ZERO, 0));
    CHECK_OK(param_add(&s->table, &s->ps, "table", SHAPE2(V, D), INIT_ZERO, 0));
    s->table->as_rows = true;
    CHECK_OK(params_allocate(&s->ps, 1));
    CHECK_OK(lanes_open(&s->l, &s->arena, comm, &s->ps, lanes));
}

static void make_lane(Setup *s, int64_t lane, Arena *step)
{
    params_zero_grad(&s->ps);
    for (int64_t i = 0; i < s->w->count; i++) s->w->grad[i] = dense_number(lane, i);
    ParamRows *r = arena_zeros(step, 1, sizeof *r);
    int32_t *row = arena_zeros(step, V, sizeof *row);
    r->grad = arena_zeros(step, V * D, sizeof *r->grad);
    for (int32_t v = 0; v < V; v++) {
        if (!has_row(lane, v)) continue;
        for (int k = 0; k < D; k++) r->grad[r->n * D + k] = row_number(lane, v, k);
        row[r->n++] = v;
    }
    r->row = row;
    s->table->rows = r;
}

/* The tree, written down once more: the sum of lanes begin ... begin + size - 1 that there are. *any: is there one? */
static real tree_dense(int64_t begin, int64_t size, int64_t lanes, int64_t i)
{
    if (size == 1) return dense_number(begin, i);
    const int64_t half = size / 2;
    const real left = tree_dense(begin, half, lanes, i);
    return begin + half < lanes ? left + tree_dense(begin + half, half, lanes, i) : left;
}

static bool tree_row(int64_t begin, int64_t size, int64_t lanes, int64_t row, int k, real *sum)
{
    if (begin >= lanes) return false;
    *sum = row_number(begin, row, k);
    if (size == 1) return has_row(begin, row);
    real left = 0, right = 0;
    const bool a = tree_row(begin, size / 2, lanes, row, k, &left);
    const bool b = tree_row(begin + size / 2, size / 2, lanes, row, k, &right);
    *sum = a && b ? left + right : a ? left : right;
    return a || b;
}

static void check_sums(const Setup *s, int64_t lanes, int64_t weight)
{
    int64_t size = 1;
    while (size < lanes) size *= 2;
    const real factor = (real)(1 / (double)weight);
    for (int64_t i = 0; i < s->w->count; i += 1 + i / 1000) {
        const real want = tree_dense(0, size, lanes, i) * factor;
        CHECK(memcmp(&s->w->grad[i], &want, sizeof want) == 0, "%lld lanes: element %lld is %.9g, not %.9g",
              (long long)lanes, (long long)i, (double)s->w->grad[i], (double)want);
    }
    int64_t at = 0;
    const ParamRows *rows = s->table->rows;
    for (int32_t v = 0; v < V; v++) {
        real want = 0;
        if (!tree_row(0, size, lanes, v, 0, &want)) continue;
        CHECK(at < rows->n && rows->row[at] == v, "row %d is missing", v);
        for (int k = 0; k < D; k++) {
            tree_row(0, size, lanes, v, k, &want);
            want *= factor;
            CHECK(memcmp(&rows->grad[at * D + k], &want, sizeof want) == 0, "row %d", v);
        }
        at++;
    }
    CHECK(at == rows->n, "%lld rows, not %lld", (long long)rows->n, (long long)at);
}

static Status one_step(Setup *s, Arena *step, SyncResult *out)
{
    lanes_begin(s->l);
    Status st = OK;
    for (int64_t lane = lanes_from(s->l); st == OK && lane < lanes_to(s->l); lane++) {
        arena_release(step, (ArenaMark){0});
        make_lane(s, lane, step);
        st = lanes_add(s->l, step);
    }
    return lanes_finish(s->l, 2 * (lanes_to(s->l) - lanes_from(s->l)) + (comm_rank(comm) == 0), st, out);
}

TEST(the_sum_is_that_of_the_tree_on_any_number_of_ranks)
{
    for (int64_t lanes = comm_size(comm); lanes <= 17; lanes++) {
        Setup s;
        Arena step = {0};
        setup(&s, lanes, lanes == 8 ? DENSE_MAX : 7 * lanes % 40 + 1);
        int64_t calls = 0;
        for (int round = 0; round < 3; round++) {
            SyncResult out;
            CHECK_OK(one_step(&s, &step, &out));
            CHECK(out.weight == 2 * lanes + 1, "weight %lld", (long long)out.weight);
            check_sums(&s, lanes, out.weight);
            const int64_t now = s.l->memory.system_calls + s.l->buffers.system_calls;
            CHECK(round == 0 || now == calls, "the system was asked for memory in round %d", round);
            calls = now;
        }
        lanes_close(s.l);
        arena_close(&s.arena);
        arena_close(&step);
    }
}

TEST(a_rank_holds_few_sums)
{
    for (int64_t lanes = comm_size(comm); lanes <= 1024; lanes *= 2) {
        Setup s;
        setup(&s, lanes, 3);
        int64_t levels = 0;
        while (INT64_C(1) << levels < lanes) levels++;
        CHECK(s.l->n_buffers <= 2 * levels + 1, "%d buffers for %lld lanes", s.l->n_buffers, (long long)lanes);
        if (comm_size(comm) != 3) {
            int64_t mine = lanes / comm_size(comm);
            for (levels = 0; mine > 1; mine /= 2) levels++;
            CHECK(s.l->n_buffers <= levels + 1, "%d buffers for %lld lanes", s.l->n_buffers, (long long)lanes);
        }
        lanes_close(s.l);
        arena_close(&s.arena);
    }
}

TEST(more_ranks_than_lanes_are_refused)
{
    if (comm_size(comm) == 1) return;
    Arena a = {0};
    Params ps = {.arena = &a};
    CHECK_OK(params_allocate(&ps, 1));
    Lanes *l;
    char text[128];
    snprintf(text, sizeof text, "train.lanes is 1, but there are %d ranks: each needs a lane of its own",
             comm_size(comm));
    CHECK_SAYS(lanes_open(&l, &a, comm, &ps, 1), ERR_CONFIG, text);
    arena_close(&a);
}

TEST(a_failure_of_one_rank_is_that_of_all)
{
    for (int bad = 0; bad < comm_size(comm); bad++) {
        Setup s;
        Arena step = {0};
        setup(&s, 8, 10);
        lanes_begin(s.l);
        for (int64_t lane = lanes_from(s.l); lane < lanes_to(s.l); lane++) {
            if (comm_rank(comm) == bad && lane + 1 == lanes_to(s.l)) break; /* it left its last lane out */
            make_lane(&s, lane, &step);
            CHECK_OK(lanes_add(s.l, &step));
        }
        SyncResult out;
        CHECK_FAILS(lanes_finish(s.l, 1, OK, &out), ERR_INTERNAL);
        CHECK(strstr(status_text(), "were not added"), "%s", status_text());
        lanes_close(s.l);
        arena_close(&s.arena);
        arena_close(&step);
    }
}

TEST(each_allocation_may_fail_on_each_rank_and_all_say_so)
{
    for (int bad = 0; bad < comm_size(comm); bad++)
        for (long n = 1;; n++) {
            Setup s;
            Arena step = {0};
            setup(&s, 5, 10);
            s.l->memory.fail_in = comm_rank(comm) == bad ? n : 0;
            SyncResult out;
            const Status st = one_step(&s, &step, &out);
            int64_t reached = comm_rank(comm) == bad && s.l->memory.fail_in == 0;
            CHECK_OK(comm_allreduce(comm, &reached, 1, COMM_I64, COMM_MAX));
            lanes_close(s.l);
            arena_close(&s.arena);
            arena_close(&step);
            if (!reached) {
                CHECK(st == OK && n > 2, "%ld allocations", n);
                break;
            }
            CHECK_FAILS(st, ERR_HOST);
        }
}

static const struct CMUnitTest tests[] = {RUN(the_sum_is_that_of_the_tree_on_any_number_of_ranks),
                                          RUN(a_rank_holds_few_sums), RUN(more_ranks_than_lanes_are_refused),
                                          RUN(a_failure_of_one_rank_is_that_of_all),
                                          RUN(each_allocation_may_fail_on_each_rank_and_all_say_so)};
RANKS_MAIN(tests)
