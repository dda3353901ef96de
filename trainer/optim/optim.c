/* optim.c - the table of optimisers; dense runs, rows, and rows that are put off. */
#include "trainer/optim/optim.h"

#include <string.h>

#include "trainer/core/clip.h"

/* One line per optimiser. Its definition is in <name>.c. */
#define OPTIMS(X)                                                                                                      \
    X(sgd)                                                                                                             \
    X(momentum)                                                                                                        \
    X(adagrad)                                                                                                         \
    X(adadelta)                                                                                                        \
    X(rmsprop)                                                                                                         \
    X(adam)                                                                                                            \
    X(adamw)

#define DECLARE(name) extern const OptimDef optim_##name;
#define ROW(name)     &optim_##name.component,
OPTIMS(DECLARE)
static const Component *const optims[] = {OPTIMS(ROW) NULL};

const Component *optim_choice(int i) { return optims[i]; }

enum { WINDOW = 1024, ZEROS_MIN = 1024 }; /* steps that a row may be put off; elements */

double optim_rate(const Optim *o) { return ((const OptimBase *)o->settings)->lr; }

int optim_states(Optim *o, const char *const **name, real *const **buffer)
{
    *name = o->def->state;
    *buffer = o->state;
    return o->def->n_state;
}

static void state_at(const Optim *o, int64_t offset, real *at[OPTIM_STATES])
{
    for (int i = 0; i < OPTIM_STATES; i++) at[i] = o->state[i] ? o->state[i] + offset : NULL;
}

/* --- rows that are put off: what they missed is done step by step, in registers, when they are next read --- */

static void refresh_row(Optim *o, OptimTable *t, int64_t row)
{
    const int64_t missed = o->n_rates - t->done[row];
    if (missed == 0) return;
    real *state[OPTIM_STATES];
    state_at(o, t->param->offset + row * t->width, state);
    o->def->replay(o->settings, o->rate + t->done[row], missed, t->width, t->param->value + row * t->width, state);
    t->done[row] = (int32_t)o->n_rates;
}

/* The hook that lookups call through param_refresh. */
static void refresh(void *context, Param *p, int64_t n, const int32_t *row)
{
    Optim *o = context;
    for (int i = 0; i < o->n_tables; i++) {
        OptimTable *t = &o->table[i];
        if (t->param != p) continue;
        for (int64_t k = 0; k < (row ? n : t->rows); k++) refresh_row(o, t, row ? row[k] : k);
    }
}

void optim_flush(Optim *o)
{
    for (int i = 0; i < o->n_tables; i++) {
        if (!o->table[i].done) continue;
        refresh(o, o->table[i].param, 0, NULL);
        memset(o->table[i].done, 0, (size_t)o->table[i].rows * sizeof *o->table[i].done);
    }
    o->n_rates = 0;
}

/* --- opening --- */

static Status open_table(Optim *o, Arena *run, Param *p)
{
    OptimTable *t = &o->table[o->n_tables++];
    const int64_t width = p->shape.d[p->shape.n - 1];
    *t = (OptimTable){.param = p, .rows = p->count / width, .width = width};
    if (o->n_zeros < width) o->n_zeros = width;
    if (!p->looked_up || !o->def->replay || o->def->skips(o->settings)) return OK;
    TRY_NEW(t->done, run, t->rows);
    p->refresh = refresh;
    p->refresh_context = o;
    return OK;
}

Status optim_open(Optim **out, Arena *run, const Component *c, const void *settings, Params *ps)
{
    REQUIRE(schema_find(optim_choice, c->name) == c, ERR_INTERNAL, "%s is not an optimiser", c->name);
    Optim *o;
    TRY_NEW(o, run, 1);
    *o = (Optim){.def = (const OptimDef *)(const void *)c, /* its first member */
                 .settings = settings,
                 .params = ps,
                 .n_zeros = ZEROS_MIN};
    for (int i = 0; i < o->def->n_state; i++) TRY_NEW(o->state[i], run, ps->count);
    const real start = o->def->start ? (real)o->def->start(settings) : 0;
    for (int64_t i = 0; start != 0 && i < ps->count; i++) o->state[0][i] = start;
    TRY_NEW(o->table, run, ps->n);
    for (int i = 0; i < ps->n; i++)
        if (ps->item[i]->as_rows && !ps->item[i]->frozen) TRY(open_table(o, run, ps->item[i]));
    TRY_NEW(o->zeros, run, o->n_zeros);
    TRY_NEW(o->rate, run, WINDOW);
    *out = o;
    return OK;
}

/* --- one step --- */

/* Rows from..to have no gradient: run after run on a buffer of zeros. */
static void update_idle(const Optim *o, const OptimStep *s, const OptimTable *t, int64_t from, int64_t to)
{
    const int64_t end = to * t->width;
    real *state[OPTIM_STATES];
    for (int64_t at = from * t->width; at < end; at += o->n_zeros) {
        state_at(o, t->param->offset + at, state);
        o->def->update(s, end - at < o->n_zeros ? end - at : o->n_zeros, t->param->value + at, o->zeros, state);
    }
}

static void update_table(Optim *o, const OptimStep *s, OptimTable *t)
{
    const Param *p = t->param;
    const ParamRows *rows = p->rows;
    const bool idle_too = !t->done && !o->def->skips(o->settings);
    int64_t next = 0; /* rows before it are done */
    for (int64_t i = 0; rows && i < rows->n; i++) {
        const int64_t row = rows->row[i];
        if (p->zero_row && row == 0) continue;
        if (idle_too) update_idle(o, s, t, next, row);
        if (t->done) refresh_row(o, t, row);
        real *state[OPTIM_STATES];
        state_at(o, p->offset + row * t->width, state);
        o->def->update(s, t->width, p->value + row * t->width, rows->grad + i * t->width, state);
        if (t->done) t->done[row]++;
        next = row + 1;
    }
    if (idle_too) update_idle(o, s, t, next, t->rows);
}

Status optim_step(Optim *o, double rate)
{
    Params *ps = o->params;
    for (int i = 0; i < o->n_tables; i++) {
        const Param *p = o->table[i].param;
        REQUIRE(!p->rows || !p->rows->next, ERR_INTERNAL, "%s: the rows of its gradient were not merged", p->name);
    }
    if (o->n_rates == WINDOW) optim_flush(o);
    clip_zero_rows(ps);
    const OptimStep s = {.settings = o->settings, .rate = rate, .step = o->step + 1};
    real *state[OPTIM_STATES];
    state_at(o, 0, state);
    o->def->update(&s, ps->learnt, ps->value, ps->grad, state);
    for (int i = 0; i < o->n_tables; i++) update_table(o, &s, &o->table[i]);
    o->rate[o->n_rates++] = (real)rate;
    o->step++;
    return OK;
}
