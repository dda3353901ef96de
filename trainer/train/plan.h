/* plan.h - what a training would cost, without training: `mneme train --dry-run`. */
#ifndef TRAINER_TRAIN_PLAN_H
#define TRAINER_TRAIN_PLAN_H
#include "trainer/session/session.h"

/* [collective] One "name value" a line, on rank 0: parameters, steps, bytes a rank, bytes of a checkpoint. */
NODISCARD Status plan_text(Comm *comm, const Config *config, Arena *run, Buffer *out);

#endif
