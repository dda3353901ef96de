/* unique.h - the different ids among many, ascending, and where each is. Only for trainer/op. */
#ifndef TRAINER_OP_UNIQUE_H
#define TRAINER_OP_UNIQUE_H
#include "trainer/op/op.h"

/* u ids (in step memory), index[i]: place of id[i] among them. False: the tape is marked. All ids lie in [0, limit). */
bool unique_ids(Tape *t, int64_t limit, int64_t n, const int32_t *id, int64_t *u, int32_t **unique, int32_t **index);

#endif
