/* update.h - from the gradients of every rank's share to new values, the same on all ranks. */
#ifndef TRAINER_TRAIN_UPDATE_H
#define TRAINER_TRAIN_UPDATE_H
#include "comm/sync.h"
#include "trainer/optim/ema.h"
#include "trainer/optim/optim.h"
#include "trainer/parallel/lanes.h"
#include "trainer/session/session.h"

typedef struct Update {
    Session *s;
    Sync sync;
    Optim *optim;
    Ema *ema;                     /* NULL: none */
    Lanes *lanes;                 /* NULL: gradients are added as they come */
    double clip_norm, clip_value; /* 0: off */
    double reduce_seconds;        /* spent in the ranks so far */
} Update;

typedef struct UpdateResult {
    double norm;    /* of the mean gradient, before clipping */
    int64_t weight; /* of all ranks: examples, or words of the targets */
    bool stop;      /* a signal came on some rank */
} UpdateResult;

NODISCARD Status update_open(Update *u, Session *s);
void update_close(Update *u);
/* [collective] The gradients in the session's parameters are sums over this rank's weight (task_weight); local is how
 * this rank fared; with lanes they were given to lanes_add instead. Rate: of this step. When the mean gradient is not
 * finite all ranks return ERR_CHECK and no value changes. */
NODISCARD Status update_apply(Update *u, int64_t weight, Status local, int64_t step, double rate, UpdateResult *out);

#endif
