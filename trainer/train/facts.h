/* facts.h - what a run ran on, for environment.json, the report and `mneme doctor`. */
#ifndef TRAINER_TRAIN_FACTS_H
#define TRAINER_TRAIN_FACTS_H
#include "io/record/run.h"
#include "trainer/train/train.h"

enum { FACTS_MOST = 32 };

/* Names and values, *n of them. Local: no other rank is asked. */
NODISCARD Status facts_collect(const Comm *comm, Arena *run, RunFact fact[FACTS_MOST], int *n);

#endif
