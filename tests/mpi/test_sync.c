/* The mean gradient: weighted over ranks, the same bits everywhere, with failures and signals carried along. */
#include <signal.h>

#include "comm/ranks.h"
#include "comm/signals.h"
#include "comm/sync.h"
#include "ranks.h"

enum { N = 1000 };
static const CommType types[] = {COMM_F32, COMM_F64};

/* A gradient of rank r that no other order of sums would give in the same bits. */
static double value(int r, int i) { return sin(1.7 * i + 3 * r) * pow(10, (i + 5 * r) % 7); }

typedef struct Grad {
    float f32[N + SYNC_EXTRA];
    double f64[N + SYNC_EXTRA];
} Grad;

static void *fill(Grad *g, int r, CommType type)
{
    for (int i = 0; i < N; i++) {
        g->f64[i] = value(r, i);
        g->f32[i] = (float)value(r, i);
    }
    return type == COMM_F32 ? (void *)g->f32 : (void *)g->f64;
}

static double at(const Grad *g, CommType type, int i) { return type == COMM_F32 ? (double)g->f32[i] : g->f64[i]; }

/* Sum of ranks lo..hi-1 of element i, split where the left part is the largest power of two: by recursion, not in the
 * loops of reduce_tree_add. */
static double tree_sum(CommType type, int lo, int hi, int i)
{
    if (hi - lo == 1) return type == COMM_F32 ? (double)(float)value(lo, i) : value(lo, i);
    int left = 1;
    while (2 * left < hi - lo) left *= 2;
    const double a = tree_sum(type, lo, lo + left, i), b = tree_sum(type, lo + left, hi, i);
    return type == COMM_F32 ? (double)((float)a + (float)b) : a + b;
}

TEST(tree_sums_in_the_order_of_a_fixed_tree_bit_for_bit)
{
    static Grad g;
    for (int t = 0; t < 2; t++)
        for (size_t bucket = 8; bucket <= 8000; bucket *= 10)
            for (size_t n = 0; n <= N; n += 249 + n) {
                void *grad = fill(&g, comm_rank(comm), types[t]);
                CHECK_OK(reduce_sum(comm, reduce_find("tree"), grad, n, types[t], bucket));
                for (int i = 0; i < N; i++) {
                    const double want = (size_t)i < n          ? tree_sum(types[t], 0, comm_size(comm), i)
                                        : types[t] == COMM_F32 ? (double)(float)value(comm_rank(comm), i)
                                                               : value(comm_rank(comm), i);
                    CHECK(at(&g, types[t], i) == want, "element %d of %zu: %.17g, not %.17g", i, n, at(&g, types[t], i),
                          want);
                }
            }
}

TEST(every_algorithm_sums_and_leaves_the_same_bits_on_all_ranks)
{
    static Grad g, all[8];
    for (int a = 0; reduce_name(a); a++)
        for (int t = 0; t < 2; t++) {
            void *grad = fill(&g, comm_rank(comm), types[t]);
            CHECK_OK(reduce_sum(comm, reduce_find(reduce_name(a)), grad, N, types[t], 0));
            const double unit = types[t] == COMM_F32 ? 0x1p-24 : 0x1p-53;
            for (int i = 0; i < N; i++) {
                long double sum = 0, size = 0;
                for (int r = 0; r < comm_size(comm); r++) {
                    sum += (long double)value(r, i);
                    size += fabsl((long double)value(r, i));
                }
                const double off = (double)fabsl((long double)at(&g, types[t], i) - sum);
                /* each of 4 values and 3 sums is rounded once */
                CHECK(off <= 7 * unit * (double)size, "%s: element %d is off by %g", reduce_name(a), i, off);
            }
            CHECK_OK(comm_allgather(comm, &g, sizeof g, all));
            for (int r = 1; r < comm_size(comm); r++)
                CHECK(memcmp(&all[r].f64, &all[0].f64, N * sizeof(double)) == 0 || types[t] == COMM_F32,
                      "%s: rank %d has other bits", reduce_name(a), r);
            for (int r = 1; r < comm_size(comm); r++)
                CHECK(memcmp(&all[r].f32, &all[0].f32, N * sizeof(float)) == 0 || types[t] == COMM_F64,
                      "%s: rank %d has other bits", reduce_name(a), r);
        }
    CHECK(!reduce_find("no such"), "a name that is not in the table");
    float x = 0;
    CHECK_SAYS(reduce_sum(comm, reduce_find("tree"), &x, 1, COMM_I32, 0), ERR_INTERNAL,
               "only floats and doubles are reduced, not type 2");
}

TEST(the_gradient_is_divided_by_the_exact_weight_of_all_ranks)
{
    static Grad g;
    const int64_t weights[] = {1, 1023, 1024, 16777217, (INT64_C(1) << 57) + 12345};
    for (int a = 0; reduce_name(a); a++)
        for (int t = 0; t < 2; t++)
            for (int w = 0; w < 5; w++) {
                const Sync s = {reduce_find(reduce_name(a)), 512};
                void *grad = fill(&g, comm_rank(comm), types[t]);
                SyncResult out;
                int64_t all = 0;
                for (int r = 0; r < comm_size(comm); r++) all += weights[w] * (r + 1) / 4;
                CHECK_OK(sync_gradients(comm, &s, grad, N, types[t], weights[w] * (comm_rank(comm) + 1) / 4, OK, &out));
                CHECK(out.weight == all && !out.stop, "weight %lld, not %lld", (long long)out.weight, (long long)all);
                if (all == 0) all = 1; /* nothing to divide by */
                for (int i = 0; i < N; i++) {
                    double sum = 0, size = 0;
                    for (int r = 0; r < comm_size(comm); r++) {
                        sum += value(r, i);
                        size += fabs(value(r, i));
                    }
                    const double unit = types[t] == COMM_F32 ? 0x1p-24 : 0x1p-53;
                    CHECK(fabs(at(&g, types[t], i) - sum / (double)all) <= 12 * unit * size / (double)all,
                          "element %d: %.17g, not %.17g", i, at(&g, types[t], i), sum / (double)all);
                }
            }
}

TEST(a_failed_rank_makes_all_fail_with_its_reason)
{
    static Grad g;
    for (int bad = 0; bad < comm_size(comm); bad++)
        for (int t = 0; t < 2; t++) {
            SyncResult out;
            void *grad = fill(&g, comm_rank(comm), types[t]);
            Status st = OK;
            if (comm_rank(comm) == bad) st = status_fail(ERR_CHECK, "a.c", 1, "f", "step 3: the loss is nan");
            char text[64];
            if (comm_rank(comm) == bad)
                snprintf(text, sizeof text, "step 3: the loss is nan");
            else
                snprintf(text, sizeof text, "on rank %d: step 3: the loss is nan", bad);
            CHECK_SAYS(sync_gradients(comm, NULL, grad, N, types[t], 5, st, &out), ERR_CHECK, text);
            fill(&g, comm_rank(comm), types[t]);
            CHECK_OK(sync_gradients(comm, NULL, grad, N, types[t], 5, OK, &out)); /* and the ranks are still in step */
            const int64_t weight = comm_rank(comm) == bad ? -1 : 5;
            CHECK_FAILS(sync_gradients(comm, NULL, grad, N, types[t], weight, OK, &out), ERR_INTERNAL);
            CHECK(strstr(status_message(), "the weight of a step is -1, expected 0 to 2^60"), "%s", status_message());
        }
}

TEST(nan_and_infinity_are_carried_to_all)
{
    static Grad g;
    for (int a = 0; reduce_name(a); a++)
        for (int bad = 0; bad < comm_size(comm); bad++) {
            const Sync s = {reduce_find(reduce_name(a)), 64};
            SyncResult out;
            fill(&g, comm_rank(comm), COMM_F32);
            if (comm_rank(comm) == bad) {
                g.f32[7] = NAN;
                g.f32[N - 1] = INFINITY;
            }
            CHECK_OK(sync_gradients(comm, &s, g.f32, N, COMM_F32, 1, OK, &out));
            CHECK(isnan(g.f32[7]) && isinf(g.f32[N - 1]) && isfinite(g.f32[8]), "%s lost it", reduce_name(a));
            CHECK(out.weight == comm_size(comm), "weight %lld", (long long)out.weight);
        }
}

TEST(a_step_in_steady_state_asks_for_no_memory)
{
    static Grad g;
    int64_t calls = 0;
    for (int step = 0; step < 4; step++) {
        for (int a = 0; reduce_name(a); a++) {
            const Sync s = {reduce_find(reduce_name(a)), 512};
            SyncResult out;
            fill(&g, comm_rank(comm), COMM_F64);
            CHECK_OK(sync_gradients(comm, &s, g.f64, N, COMM_F64, 1, OK, &out));
        }
        CHECK(step == 0 || comm->arena.system_calls == calls, "step %d asked the system", step);
        calls = comm->arena.system_calls;
    }
}

TEST(a_signal_to_one_rank_stops_all)
{
    static Grad g;
    CHECK_OK(signals_install());
    const int numbers[] = {SIGTERM, SIGINT, SIGUSR1, SIGUSR2};
    for (int k = 0; k < 4; k++)
        for (int who = 0; who < comm_size(comm); who++) {
            SyncResult out;
            bool stop;
            fill(&g, comm_rank(comm), COMM_F32);
            CHECK_OK(sync_gradients(comm, NULL, g.f32, N, COMM_F32, 1, OK, &out));
            CHECK_OK(signals_agree(comm, &stop));
            CHECK(!out.stop && !stop, "no signal yet");
            if (comm_rank(comm) == who) {
                raise(numbers[k]);
                CHECK(signals_pending() == numbers[k], "%s is pending", signals_name(signals_pending()));
            }
            CHECK_OK(sync_gradients(comm, NULL, g.f32, N, COMM_F32, 1, OK, &out));
            CHECK_OK(signals_agree(comm, &stop));
            CHECK(out.stop && stop, "%s to rank %d was not heard on rank %d", signals_name(numbers[k]), who,
                  comm_rank(comm));
            signals_forget();
        }
}

static const struct CMUnitTest tests[] = {
    RUN(tree_sums_in_the_order_of_a_fixed_tree_bit_for_bit),
    RUN(every_algorithm_sums_and_leaves_the_same_bits_on_all_ranks),
    RUN(the_gradient_is_divided_by_the_exact_weight_of_all_ranks),
    RUN(a_failed_rank_makes_all_fail_with_its_reason),
    RUN(nan_and_infinity_are_carried_to_all),
    RUN(a_step_in_steady_state_asks_for_no_memory),
    RUN(a_signal_to_one_rank_stops_all),
};
RANKS_MAIN(tests)
