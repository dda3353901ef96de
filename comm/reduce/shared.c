/* shared.c - sums in memory that the ranks of a host share: no copy, no message.
 *
 * Each rank of the host adds one slice of all ranks' buffers, in the order of the ranks, and writes the sum to each of
 * them. Between hosts the slices travel by MPI_Allreduce. Buffers that are not in comm_shared's memory are added as
 * `native` does. 36 MB on 2 ranks: 2.4 ms against 11. */
#include "comm/shared.h"

#include <stdatomic.h>
#include <string.h>

#include "comm/reduce.h"

enum { BLOCK = 1 << 14, ALIGN = 16 }; /* elements that stay in the nearest cache; slices begin at whole lines */

static void add(char *to, const char *from, size_t n, CommType type)
{
    if (type == COMM_F32) {
        float *a = (float *)(void *)to;
        const float *b = (const float *)(const void *)from;
        for (size_t i = 0; i < n; i++) a[i] += b[i];
    } else {
        double *a = (double *)(void *)to;
        const double *b = (const double *)(const void *)from;
        for (size_t i = 0; i < n; i++) a[i] += b[i];
    }
}

static void copy_to_others(const CommShared *s, size_t at, size_t bytes)
{
    for (int r = 1; r < s->ranks; r++) memcpy(s->base[r] + at, s->base[0] + at, bytes);
}

/* Elements [from, to) behind byte `at` of the pieces: the sum over this host's ranks, in rank 0's piece. */
static void add_slice(const CommShared *s, size_t at, size_t from, size_t to, CommType type, bool spread)
{
    const size_t width = comm_type_bytes(type);
    for (size_t i = from; i < to; i += BLOCK) {
        const size_t n = to - i < BLOCK ? to - i : BLOCK, place = at + i * width;
        for (int r = 1; r < s->ranks; r++) add(s->base[0] + place, s->base[r] + place, n, type);
        if (spread) copy_to_others(s, place, n * width);
    }
}

static size_t slice(size_t count, int rank, int ranks)
{
    return rank == ranks ? count : count / (size_t)ranks * (size_t)rank / ALIGN * ALIGN;
}

/* All ranks of the host have come so far, and what they wrote is seen. */
static Status meet(const CommShared *s)
{
    atomic_thread_fence(memory_order_seq_cst);
    TRY_MPI(MPI_Barrier(s->node));
    atomic_thread_fence(memory_order_seq_cst);
    return OK;
}

static Status sum(Comm *c, void *buf, size_t count, CommType type)
{
    const CommShared *s = c->shared;
    const size_t width = comm_type_bytes(type);
    const char *first = buf;
    if (!s || s->bytes == 0 || first < s->base[s->rank] || first + count * width > s->base[s->rank] + s->bytes)
        return comm_allreduce(c, buf, count, type, COMM_SUM);
    const size_t at = (size_t)(first - s->base[s->rank]);
    const size_t from = slice(count, s->rank, s->ranks), to = slice(count, s->rank + 1, s->ranks);
    TRY(meet(s));
    add_slice(s, at, from, to, type, s->hosts == 1);
    if (s->hosts > 1) {
        TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, s->base[0] + at + from * width, (int)(to - from), comm_mpi_type(type),
                              MPI_SUM, s->across));
        copy_to_others(s, at + from * width, (to - from) * width);
    }
    return meet(s);
}

extern const ReduceDef reduce_shared;
const ReduceDef reduce_shared = {
    .name = "shared",
    .help = "Ranks of one host add in memory that they share, hosts by MPI_Allreduce; without such memory as native.",
    .sum = sum,
    .shares = true};
