/* optim.h - from gradients to new values.
 *
 * An optimiser is one file and one line in the table of optim.c. Its states lie in flat buffers, in the order of the
 * parameters' values. Whether a gradient is dense or kept as rows changes no result: a row without a gradient has
 * gradient 0, and what the formula does to it then is done, at once or, for momentum, when the row is next read
 * (optim_flush before anyone else reads the values). A step allocates nothing. */
#ifndef TRAINER_OPTIM_OPTIM_H
#define TRAINER_OPTIM_OPTIM_H
#include "io/config/schema.h"
#include "trainer/core/params.h"

enum { OPTIM_STATES = 2 };

/* The settings that every optimiser's struct begins with. */
typedef struct OptimBase {
    double lr;
    double weight_decay;
} OptimBase;

/* What one update of a run of values needs to know. */
typedef struct OptimStep {
    const void *settings;
    double rate;
    int64_t step; /* number of this update, from 1 */
} OptimStep;

typedef struct OptimDef {
    Component component; /* first: the family's table is one of components */
    int n_state;
    const char *state[OPTIM_STATES]; /* names, for checkpoints */
    double initial;                  /* where the first state starts when `start` is NULL */
    /* One step of n values and their states on gradient grad. Each value by itself. */
    void (*update)(const OptimStep *s, int64_t n, real *value, const real *grad, real *const *state);
    /* Where state 0 starts; NULL: at 0. */
    double (*start)(const void *settings);
    /* True when gradient 0 changes nothing, or when the settings ask to leave rows without a gradient alone. */
    bool (*skips)(const void *settings);
    /* k steps in a row with gradient 0 and the rates rate[0..k): the same bits as k calls of update. NULL: rows are
     * never put off. */
    void (*replay)(const void *settings, const real *rate, int64_t k, int64_t n, real *value, real *const *state);
} OptimDef;

typedef struct OptimTable { /* a table whose gradient is kept as rows */
    Param *param;
    int64_t rows, width;
    int32_t *done; /* (rows) steps of the window that the row has seen; NULL: always all */
} OptimTable;

typedef struct Optim {
    const OptimDef *def;
    const void *settings;
    Params *params;
    int64_t step;              /* updates so far: part of a checkpoint */
    real *state[OPTIM_STATES]; /* (params->count) each */
    OptimTable *table;
    int n_tables;
    real *zeros;     /* as many as the widest run of rows that is updated without a gradient */
    int64_t n_zeros; /* elements */
    real *rate;      /* rates of the steps of the window, for rows that were put off */
    int64_t n_rates;
} Optim;

const Component *optim_choice(int i); /* the family: NULL after the last */

/* After params_allocate. settings: the component's struct, borrowed. */
NODISCARD Status optim_open(Optim **out, Arena *run, const Component *c, const void *settings, Params *ps);
/* One update on the gradients in the params, which stay as they are. Rows must have been merged (param_merge_rows).
 * rate: of this step, as the schedule gives it. */
NODISCARD Status optim_step(Optim *o, double rate);
/* Bring all rows up to date: before values or states are read by anything but the model's own lookups. Changes
 * nothing in what follows, bit by bit. */
void optim_flush(Optim *o);
/* The names and buffers of the states, params->count numbers each; returns how many. Flush before reading; after
 * filling them (and o->step) from a checkpoint go on at once. */
int optim_states(Optim *o, const char *const **name, real *const **buffer);

double optim_rate(const Optim *o); /* the setting lr */

#endif
