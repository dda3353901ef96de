/* sync.h - the mean gradient over all ranks, with the agreement on a failure and on a signal carried along.
 *
 * The rule: the gradient buffer has SYNC_EXTRA elements behind its n values, which belong to sync_gradients. */
#ifndef COMM_SYNC_H
#define COMM_SYNC_H
#include "comm/reduce.h"

enum { SYNC_EXTRA = 8 }; /* = PARAMS_EXTRA */

typedef struct Sync {
    const ReduceDef *how; /* NULL: the first of the table */
    size_t bucket_bytes;  /* 0: REDUCE_BUCKET */
} Sync;

typedef struct SyncResult {
    int64_t weight; /* of all ranks */
    bool stop;      /* a rank has a pending signal (signals.h): save and stop after this step, all of us */
} SyncResult;

/* [collective] grad[0..n) = sum over ranks of grad / sum over ranks of weight. weight is this rank's number of examples
 * or tokens, 0 or more, and is summed exactly; when no rank has any, the sum is not divided. local is this rank's
 * outcome of the step: when any rank failed, every rank returns the failure of the lowest one, as comm_agree does,
 * and grad is undefined. No message but the gradient's own is sent, unless a rank failed. */
NODISCARD Status sync_gradients(Comm *c, const Sync *s, void *grad, size_t n, CommType type, int64_t weight,
                                Status local, SyncResult *out);

#endif
