/* collective.c - the messages that all ranks exchange together, of any size: MPI counts are int, so long buffers travel
 * in chunks. One rank alone has nobody to exchange with, and perhaps no MPI. */
#include <limits.h>
#include <string.h>

#include "comm/ranks.h"

size_t comm_type_bytes(CommType type)
{
    switch (type) {
    case COMM_F32:
    case COMM_I32: return 4;
    case COMM_F64:
    case COMM_I64: return 8;
    case COMM_BYTE: return 1;
    }
    return 0;
}

MPI_Datatype comm_mpi_type(CommType type)
{
    switch (type) {
    case COMM_F32: return MPI_FLOAT;
    case COMM_F64: return MPI_DOUBLE;
    case COMM_I32: return MPI_INT32_T;
    case COMM_I64: return MPI_INT64_T;
    case COMM_BYTE: return MPI_UINT8_T; /* MPI_BYTE has no arithmetic */
    }
    return MPI_DATATYPE_NULL;
}

static MPI_Op mpi_op(CommOp op)
{
    switch (op) {
    case COMM_SUM: return MPI_SUM;
    case COMM_MAX: return MPI_MAX;
    case COMM_MIN: return MPI_MIN;
    }
    return MPI_OP_NULL;
}

static int piece(const Comm *c, size_t left) { return (int)(left < c->chunk ? left : c->chunk); }

static Status copy(void *to, const void *from, size_t bytes)
{
    if (bytes) memmove(to, from, bytes);
    return OK;
}

Status comm_allreduce(Comm *c, void *buf, size_t count, CommType type, CommOp op)
{
    if (c->size == 1) return OK;
    const size_t width = comm_type_bytes(type);
    for (size_t i = 0; i < count; i += c->chunk)
        TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, (char *)buf + i * width, piece(c, count - i), comm_mpi_type(type),
                              mpi_op(op), c->mpi));
    return OK;
}

Status comm_broadcast(Comm *c, void *buf, size_t bytes, int root)
{
    if (c->size == 1) return OK;
    for (size_t i = 0; i < bytes; i += c->chunk)
        TRY_MPI(MPI_Bcast((char *)buf + i, piece(c, bytes - i), MPI_BYTE, root, c->mpi));
    return OK;
}

/* Pieces too long for one call: each rank in turn broadcasts its own. */
static Status gather_in_turn(Comm *c, const void *mine, const size_t *bytes, size_t equal, char *all)
{
    for (int r = 0; r < c->size; r++) {
        const size_t n = bytes ? bytes[r] : equal;
        if (r == c->rank && n) memcpy(all, mine, n);
        TRY(comm_broadcast(c, all, n, r));
        all += n;
    }
    return OK;
}

Status comm_allgather(Comm *c, const void *mine, size_t bytes, void *all)
{
    if (c->size == 1) return copy(all, mine, bytes);
    if (bytes > c->chunk) return gather_in_turn(c, mine, NULL, bytes, all);
    TRY_MPI(MPI_Allgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, c->mpi));
    return OK;
}

Status comm_allgatherv(Comm *c, const void *mine, const size_t *bytes, void *all)
{
    if (c->size == 1) return copy(all, mine, bytes[0]);
    size_t total = 0;
    bool fits = true;
    for (int r = 0; r < c->size; r++) {
        fits = fits && bytes[r] <= c->chunk && total <= c->chunk; /* counts and displacements are int */
        total += bytes[r];
    }
    if (!fits) return gather_in_turn(c, mine, bytes, 0, all);

    TRY(comm_scratch(c, 2 * (size_t)c->size * sizeof(int)));
    int *count = c->scratch, *start = count + c->size, at = 0;
    for (int r = 0; r < c->size; r++) {
        count[r] = (int)bytes[r];
        start[r] = at;
        at += count[r];
    }
    TRY_MPI(MPI_Allgatherv(mine, count[c->rank], MPI_BYTE, all, count, start, MPI_BYTE, c->mpi));
    return OK;
}

/* Counts and places of pieces that lie end to end; int, as MPI wants them. */
static bool lay_out(int ranks, const size_t *bytes, int *count, int *start)
{
    size_t at = 0;
    for (int r = 0; r < ranks; r++) {
        if (at + bytes[r] > INT_MAX) return false;
        count[r] = (int)bytes[r];
        start[r] = (int)at;
        at += bytes[r];
    }
    return true;
}

Status comm_alltoallv(Comm *c, const void *mine, const size_t *sent, void *all, const size_t *got)
{
    TRY(comm_scratch(c, 4 * (size_t)c->size * sizeof(int)));
    int *out = c->scratch, *out_at = out + c->size, *in = out_at + c->size, *in_at = in + c->size;
    REQUIRE(lay_out(c->size, sent, out, out_at) && lay_out(c->size, got, in, in_at), ERR_INTERNAL,
            "pieces for all ranks are more than %d bytes together", INT_MAX);
    if (c->size == 1) return copy(all, mine, sent[0]);
    TRY_MPI(MPI_Alltoallv(mine, out, out_at, MPI_BYTE, all, in, in_at, MPI_BYTE, c->mpi));
    return OK;
}

Status comm_barrier(Comm *c)
{
    if (c->size > 1) TRY_MPI(MPI_Barrier(c->mpi));
    return OK;
}

Status comm_same(Comm *c, const void *mine, size_t bytes, const char *what)
{
    enum { MOST = 64 };
    char first[MOST];
    REQUIRE(bytes <= MOST, ERR_INTERNAL, "%s: %zu bytes to compare, at most %d", what, bytes, MOST);
    if (c->size == 1) return OK;
    memcpy(first, mine, bytes);
    TRY(comm_broadcast(c, first, bytes, 0));
    int odd = memcmp(first, mine, bytes) ? c->rank : c->size; /* lowest rank that differs */
    TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, &odd, 1, MPI_INT, MPI_MIN, c->mpi));
    if (odd == c->size) return OK;
    char host[COMM_HOST_SIZE];
    memcpy(host, c->host, sizeof host);
    TRY(comm_broadcast(c, host, sizeof host, odd));
    FAIL(ERR_COMM, "%s differs between rank 0 and rank %d (on %s)", what, odd, host);
}
