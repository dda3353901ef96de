/* ema.c - the averages lie in a buffer of their own, in the order of the parameters' values. */
#include "trainer/optim/ema.h"

#include <string.h>

#include "trainer/core/kernel.h"

Status ema_open(Ema **out, Arena *run, Params *ps, double decay)
{
    Ema *e;
    TRY_NEW(e, run, 1);
    *e = (Ema){.params = ps, .decay = decay};
    TRY_NEW(e->average, run, ps->count);
    ema_begin(e);
    *out = e;
    return OK;
}

void ema_begin(Ema *e) { memcpy(e->average, e->params->value, (size_t)e->params->count * sizeof *e->average); }

void ema_update(Ema *e)
{
    const double t = (double)++e->updates, early = (1 + t) / (10 + t);
    const real rest = (real)(1 - (early < e->decay ? early : e->decay));
    kernels()->approach(e->params->count, rest, e->params->value, e->average);
}

void ema_swap(Ema *e)
{
    real *value = e->params->value;
    for (int64_t i = 0; i < e->params->count; i++) {
        const real keep = value[i];
        value[i] = e->average[i];
        e->average[i] = keep;
    }
    e->swapped = !e->swapped;
}
