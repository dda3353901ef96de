/* reduce.h - the family of all-reduce algorithms: one file in comm/reduce/ and one line in the table of reduce.c each.
 *
 * All of them sum over the ranks, in place, and leave the same bits on every rank; `tree` gives bits that do not depend
 * on MPI's choice of a method either, and `shared` is the fastest where comm_shared has memory for the buffer. */
#ifndef COMM_REDUCE_H
#define COMM_REDUCE_H
#include "comm/comm.h"

typedef struct ReduceDef {
    const char *name, *help;
    /* [collective] buf[i] = sum over ranks of buf[i]; COMM_F32 or COMM_F64, one bucket. */
    Status (*sum)(Comm *c, void *buf, size_t count, CommType type);
    bool shares; /* wants the buffer in memory of comm_shared */
} ReduceDef;

enum { REDUCE_BUCKET = 4 << 20 }; /* bytes of a bucket when nothing else is asked for */

const char *reduce_name(int i); /* names in the table, NULL after the last */
const ReduceDef *reduce_at(int i);
const ReduceDef *reduce_find(const char *name); /* NULL when there is none */

/* [collective] buf[i] = sum over ranks, in buckets of at most so many bytes (0: REDUCE_BUCKET). */
NODISCARD Status reduce_sum(Comm *c, const ReduceDef *how, void *buf, size_t count, CommType type, size_t bucket_bytes);

/* pieces (n, count) -> the sum in pieces[0], added as the fixed binary tree ((0+1)+(2+3))+((4+5)+(6+7)): neighbours
 * first, then neighbouring pairs, and so on; a piece without a neighbour waits for the next level. The others are
 * overwritten. This is the order of `tree`, and the order for pieces of one rank that shall agree with it. */
void reduce_tree_add(void *pieces, int n, size_t count, CommType type);

#endif
