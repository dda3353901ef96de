/* ema.h - a running mean of the parameters, often better to evaluate than the last values (Polyak and Juditsky 1992).
 *
 * average = d average + (1 - d) value after each step, d = min(decay, (1 + t) / (10 + t)) so that the first steps do
 * not weigh on it. Evaluation stands between two calls of ema_swap. */
#ifndef TRAINER_OPTIM_EMA_H
#define TRAINER_OPTIM_EMA_H
#include "trainer/core/params.h"

typedef struct Ema {
    Params *params;
    double decay;
    int64_t updates; /* t; part of a checkpoint, like average */
    real *average;   /* (params->count) */
    bool swapped;    /* the params hold the averages now */
} Ema;

NODISCARD Status ema_open(Ema **out, Arena *run, Params *ps, double decay);
void ema_begin(Ema *e); /* the averages start at the values of now; ema_open does it too */
/* After optim_step (and optim_flush when rows may have been put off). */
void ema_update(Ema *e);
/* Values and averages change places; the second call restores every bit. */
void ema_swap(Ema *e);

#endif
