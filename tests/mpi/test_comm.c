/* The collectives give the same on every rank, in one call or in chunks, and one failure is everyone's. */
#include "comm/ranks.h"
#include "ranks.h"

static Status fail_here(int bad)
{
    REQUIRE(comm_rank(comm) != bad, ERR_DATA, "line 7 is empty");
    return OK;
}

/* The message that this rank must hold when `bad` said text. */
static const char *said(int bad, const char *text)
{
    static char line[20000];
    if (comm_rank(comm) == bad) return text;
    snprintf(line, sizeof line, "on rank %d: %s", bad, text);
    return line;
}

TEST(one_failure_reaches_everyone)
{
    for (int bad = 0; bad < comm_size(comm); bad++) {
        status_clear();
        CHECK_SAYS(comm_agree(comm, fail_here(bad)), ERR_DATA, said(bad, "line 7 is empty"));
        CHECK(strstr(status_text(), "fail_here (tests/mpi/test_comm.c:") || strstr(status_text(), "test_comm.c:"),
              "the trace is lost: %s", status_text());
    }
    CHECK_OK(comm_agree(comm, OK));
}

TEST(of_many_failures_the_lowest_rank_is_heard)
{
    for (int from = 0; from < comm_size(comm); from++) {
        Status st = OK;
        if (comm_rank(comm) >= from)
            st = status_fail(comm_rank(comm) == from ? ERR_IO : ERR_INPUT, "a.c", 1, "f", "rank %d", comm_rank(comm));
        char text[32];
        snprintf(text, sizeof text, "rank %d", from);
        const Status all = comm_agree(comm, st);
        if (comm_rank(comm) == from) CHECK_SAYS(all, ERR_IO, text);
        if (comm_rank(comm) < from) CHECK_SAYS(all, ERR_IO, said(from, text));
        CHECK(all == ERR_IO, "rank %d has status %d, not that of rank %d", comm_rank(comm), (int)all, from);
        CHECK(strstr(status_text(), text), "%s", status_text());
    }
}

TEST(a_report_of_sixteen_thousand_bytes_arrives)
{
    static char fact[16000];
    memset(fact, 'x', sizeof fact - 1);
    for (int bad = 0; bad < comm_size(comm); bad++) {
        status_clear();
        Status st = OK;
        if (comm_rank(comm) == bad) st = status_fail(ERR_CONFIG, "a.c", 1, "f", "%s", fact);
        CHECK_FAILS(comm_agree(comm, st), ERR_CONFIG);
        CHECK(strstr(status_text(), fact), "%zu bytes arrived", strlen(status_text()));
    }
}

static const size_t limits[] = {0, 1, 3, 7}; /* elements in one MPI call; 0: the usual limit */
enum { LIMITS = 4, N = 23 };

TEST(allreduce_sums_and_finds_the_largest_and_smallest)
{
    const int rank = comm_rank(comm), size = comm_size(comm);
    for (int l = 0; l < LIMITS; l++) {
        comm_limit_chunk(comm, limits[l]);
        int64_t i64[N];
        int32_t i32[N];
        double f64[N];
        float f32[N];
        unsigned char byte[N];
        for (int i = 0; i < N; i++) {
            i64[i] = (INT64_C(1) << 40) + rank * i;
            i32[i] = f64[i] = f32[i] = byte[i] = (unsigned char)(rank + i);
        }
        CHECK_OK(comm_allreduce(comm, i64, N, COMM_I64, COMM_SUM));
        CHECK_OK(comm_allreduce(comm, i32, N, COMM_I32, COMM_SUM));
        CHECK_OK(comm_allreduce(comm, f64, N, COMM_F64, COMM_MAX));
        CHECK_OK(comm_allreduce(comm, f32, N, COMM_F32, COMM_MIN));
        CHECK_OK(comm_allreduce(comm, byte, N, COMM_BYTE, COMM_MAX));
        const int pairs = size * (size - 1) / 2;
        for (int i = 0; i < N; i++) {
            CHECK(i64[i] == size * (INT64_C(1) << 40) + pairs * i, "i64[%d] = %lld", i, (long long)i64[i]);
            CHECK(i32[i] == pairs + size * i, "i32[%d] = %d", i, (int)i32[i]);
            CHECK(f64[i] == size - 1 + i && f32[i] == (float)i && byte[i] == size - 1 + i, "element %d", i);
        }
    }
    comm_limit_chunk(comm, 0);
}

TEST(broadcast_brings_the_bytes_of_every_root)
{
    for (int l = 0; l < LIMITS; l++)
        for (int root = 0; root < comm_size(comm); root++) {
            comm_limit_chunk(comm, limits[l]);
            char text[N];
            memset(text, 'a' + comm_rank(comm), N);
            CHECK_OK(comm_broadcast(comm, text, N, root));
            for (int i = 0; i < N; i++) CHECK(text[i] == 'a' + root, "byte %d of root %d is %c", i, root, text[i]);
        }
    comm_limit_chunk(comm, 0);
}

TEST(allgather_lays_pieces_in_the_order_of_the_ranks)
{
    for (int l = 0; l < LIMITS; l++)
        for (size_t bytes = 0; bytes < 6; bytes++) {
            comm_limit_chunk(comm, limits[l]);
            char mine[6], all[4 * 6 + 1] = "";
            memset(mine, 'a' + comm_rank(comm), sizeof mine);
            CHECK_OK(comm_allgather(comm, mine, bytes, all));
            for (size_t i = 0; i < bytes * (size_t)comm_size(comm); i++)
                CHECK(all[i] == 'a' + (int)(i / bytes), "byte %zu of %s", i, all);
        }
    comm_limit_chunk(comm, 0);
}

/* Rank r sends r * 10 + q times the byte 16 * r + q to rank q. */
TEST(alltoallv_takes_each_piece_to_its_rank)
{
    const int me = comm_rank(comm), ranks = comm_size(comm);
    unsigned char mine[256], all[256];
    size_t sent[8], got[8], n = 0;
    for (int q = 0; q < ranks; q++) {
        sent[q] = (size_t)(me * 10 + q);
        got[q] = (size_t)(q * 10 + me);
        memset(mine + n, 16 * me + q, sent[q]);
        n += sent[q];
    }
    CHECK_OK(comm_alltoallv(comm, mine, sent, all, got));
    n = 0;
    for (int q = 0; q < ranks; q++)
        for (size_t i = 0; i < got[q]; i++, n++) CHECK(all[n] == 16 * q + me, "byte %zu is %d", n, all[n]);
    for (int q = 0; q < ranks; q++) sent[q] = got[q] = (size_t)1 << 31;
    CHECK_SAYS(comm_alltoallv(comm, mine, sent, all, got), ERR_INTERNAL,
               "pieces for all ranks are more than 2147483647 bytes together");
}

TEST(allgatherv_takes_pieces_of_any_size_and_none)
{
    for (int l = 0; l < LIMITS; l++)
        for (int empty = 0; empty < comm_size(comm); empty++) {
            comm_limit_chunk(comm, limits[l]);
            size_t bytes[8], total = 0;
            for (int r = 0; r < comm_size(comm); r++) total += bytes[r] = r == empty ? 0 : 2 * (size_t)r + 1;
            char mine[16], all[64], *p = all;
            memset(mine, 'a' + comm_rank(comm), sizeof mine);
            memset(all, '-', sizeof all);
            CHECK_OK(comm_allgatherv(comm, mine, bytes, all));
            for (int r = 0; r < comm_size(comm); r++)
                for (size_t i = 0; i < bytes[r]; i++, p++) CHECK(*p == 'a' + r, "rank %d, byte %zu is %c", r, i, *p);
            CHECK(all[total] == '-', "written beyond the end");
        }
    comm_limit_chunk(comm, 0);
}

TEST(a_rank_that_differs_is_named)
{
    for (int odd = 1; odd < comm_size(comm); odd++) {
        const uint64_t digest = comm_rank(comm) >= odd ? 8 : 7;
        char text[400];
        snprintf(text, sizeof text, "the configuration differs between rank 0 and rank %d (on %s)", odd,
                 comm_host(comm));
        CHECK_SAYS(comm_same(comm, &digest, sizeof digest, "the configuration"), ERR_COMM, text);
    }
    CHECK_OK(comm_same(comm, "same", 4, "the configuration"));
    char big[65] = "";
    CHECK_SAYS(comm_same(comm, big, sizeof big, "a page"), ERR_INTERNAL, "a page: 65 bytes to compare, at most 64");
}

TEST(a_rank_without_memory_for_scratch_is_a_failure_of_all)
{
    for (int bad = 0; bad < comm_size(comm); bad++) {
        const size_t bytes = comm->scratch_bytes + 100, before = comm->scratch_bytes;
        if (comm_rank(comm) == bad) comm->arena.fail_in = 1;
        char text[64];
        snprintf(text, sizeof text, "out of memory: %zu bytes were asked for", bytes);
        CHECK_SAYS(comm_scratch(comm, bytes), ERR_HOST, said(bad, text));
        CHECK(comm->scratch_bytes == before, "rank %d has %zu bytes of scratch", comm_rank(comm), comm->scratch_bytes);
        CHECK_OK(comm_scratch(comm, bytes));
    }
}

TEST(an_mpi_error_is_a_report_with_its_words)
{
    status_clear();
    const Status st = comm_mpi_status(MPI_ERR_COUNT, "MPI_Bcast(...)", __FILE__, __LINE__, __func__);
    CHECK_FAILS(st, ERR_COMM);
    CHECK(strncmp(status_message(), "MPI_Bcast(...): MPI_ERR_COUNT", 29) == 0, "%s", status_message());
}

TEST(every_rank_knows_its_place_on_the_host)
{
    CHECK(comm_local_size(comm) == comm_size(comm) && comm_local_rank(comm) == comm_rank(comm), "rank %d of %d here",
          comm_local_rank(comm), comm_local_size(comm));
    CHECK(comm_host(comm)[0], "the host has a name");
    CHECK_OK(comm_barrier(comm));
}

static const struct CMUnitTest tests[] = {
    RUN(one_failure_reaches_everyone),
    RUN(of_many_failures_the_lowest_rank_is_heard),
    RUN(a_report_of_sixteen_thousand_bytes_arrives),
    RUN(allreduce_sums_and_finds_the_largest_and_smallest),
    RUN(broadcast_brings_the_bytes_of_every_root),
    RUN(allgather_lays_pieces_in_the_order_of_the_ranks),
    RUN(allgatherv_takes_pieces_of_any_size_and_none),
    RUN(alltoallv_takes_each_piece_to_its_rank),
    RUN(a_rank_that_differs_is_named),
    RUN(a_rank_without_memory_for_scratch_is_a_failure_of_all),
    RUN(an_mpi_error_is_a_report_with_its_words),
    RUN(every_rank_knows_its_place_on_the_host),
};
RANKS_MAIN(tests)
