/* lanes.h - the same bits on any number of ranks from 1 to L.
 *
 * The global batch is computed as L fixed pieces, the lanes: lane l has the examples l, l + L, l + 2 L, ... of the
 * batch. Their gradients are added as one fixed binary tree over the lanes, ((0+1)+(2+3))+((4+5)+(6+7)): neighbours
 * first; one without a neighbour waits for the next level. A rank computes some lanes in a row and adds what it can;
 * then the ranks add the rest, in the order of the same tree. So no sum depends on who made it. */
#ifndef TRAINER_PARALLEL_LANES_H
#define TRAINER_PARALLEL_LANES_H
#include "comm/sync.h"
#include "io/batch/batch.h"
#include "trainer/core/params.h"

typedef struct Lanes Lanes;

/* Buffers for this rank's partial sums: at most 2 log2 L + 1 times the dense gradient, log2 (L / R) + 1 when the number
 * of ranks R and L are powers of 2. ERR_CONFIG when there are more ranks than lanes. */
NODISCARD Status lanes_open(Lanes **out, Arena *run, Comm *c, Params *ps, int64_t lanes);
void lanes_close(Lanes *l);
int64_t lanes_from(const Lanes *l); /* this rank's lanes: from, from + 1, ... to - 1 */
int64_t lanes_to(const Lanes *l);

/* The examples of one lane as a batch of their own, in arena; all: a batch that is the whole global batch. */
NODISCARD Status lanes_batch(const Batch *all, int64_t lane, int64_t lanes, Arena *arena, Batch *out);

/* A step: lanes_begin; for each of the rank's lanes in order params_zero_grad, forward, backward, lanes_add; then
 * lanes_finish. What lanes_add takes from the step's arena (rows) it copies, so the arena may be released. */
void lanes_begin(Lanes *l);
NODISCARD Status lanes_add(Lanes *l, Arena *scratch); /* the gradients in the params are those of the next lane */
/* [collective] The params hold the sum over all lanes / weight of all ranks, dense and rows, like after sync_gradients
 * and sync_rows. weight: of this rank. local: how this rank fared; a failure reaches all. */
NODISCARD Status lanes_finish(Lanes *l, int64_t weight, Status local, SyncResult *out);

#endif
