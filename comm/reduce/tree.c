/* tree.c - sums in the order of a fixed binary tree over the ranks (reduce_tree_add), whatever MPI does.
 *
 * The bucket is cut into as many slices as there are ranks. Each rank receives its slice of every rank, adds them in
 * the order of the tree, and sends the sum to all: as many bytes as the best of the usual methods, any number of ranks,
 * and each sum is computed once, so that all ranks hold the same bits. */
#include <string.h>

#include "comm/ranks.h"
#include "comm/reduce.h"

typedef struct Slices {
    int *count, *start; /* (ranks) elements of the slices, and where they begin in the bucket */
    int *mine, *place;  /* (ranks) count of this rank's slice, and where each rank's piece lies in pieces */
    char *pieces;       /* (ranks, count[rank]) */
} Slices;

static Status plan(Slices *s, Comm *c, size_t count, size_t width)
{
    const size_t ranks = (size_t)c->size, most = count / ranks + 1;
    const size_t header = (4 * ranks * sizeof(int) + 63) / 64 * 64;
    TRY(comm_scratch(c, header + ranks * most * width));
    s->count = c->scratch;
    s->start = s->count + ranks;
    s->mine = s->start + ranks;
    s->place = s->mine + ranks;
    s->pieces = (char *)c->scratch + header;
    for (size_t r = 0; r < ranks; r++) { /* sizes differ by one at most */
        const size_t from = count / ranks * r + (r < count % ranks ? r : count % ranks);
        s->start[r] = (int)from;
        s->count[r] = (int)(count / ranks + (r < count % ranks ? 1 : 0));
    }
    for (int r = 0; r < c->size; r++) {
        s->mine[r] = s->count[c->rank];
        s->place[r] = s->count[c->rank] * r;
    }
    return OK;
}

static Status sum(Comm *c, void *buf, size_t count, CommType type)
{
    if (c->size == 1) return OK;
    const size_t width = comm_type_bytes(type);
    const MPI_Datatype mpi = comm_mpi_type(type);
    Slices s = {0};
    TRY(plan(&s, c, count, width));
    TRY_MPI(MPI_Alltoallv(buf, s.count, s.start, mpi, s.pieces, s.mine, s.place, mpi, c->mpi));
    reduce_tree_add(s.pieces, c->size, (size_t)s.count[c->rank], type);
    memcpy((char *)buf + (size_t)s.start[c->rank] * width, s.pieces, (size_t)s.count[c->rank] * width);
    TRY_MPI(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, buf, s.count, s.start, mpi, c->mpi));
    return OK;
}

extern const ReduceDef reduce_tree;
const ReduceDef reduce_tree = {
    .name = "tree", .help = "Fixed binary tree over the ranks: the order of the sums never changes.", .sum = sum};
