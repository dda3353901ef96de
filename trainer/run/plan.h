/* plan.h - what a training would cost, without training: `mneme train --dry-run`. */
#ifndef TRAINER_RUN_PLAN_H
#define TRAINER_RUN_PLAN_H
#include "trainer/run/session.h"

/* [collective] Rank 0 prints one "name value" a line: parameters, steps, bytes a rank, bytes of a checkpoint. */
NODISCARD Status plan_print(Comm *comm, const Config *config, Arena *run);

#endif
