/* sync_rows.c - one message of counts, one of rows.
 *
 * A rank's message holds the rows of its tables one after the other, then their numbers, rounded up to whole reals. */
#include "trainer/parallel/sync_rows.h"

#include <string.h>

#include "trainer/core/kernel.h"

typedef struct Exchange {
    int tables, ranks;
    Param **table; /* (tables) */
    int64_t *mine; /* (tables) rows that this rank has */
    int64_t *n;    /* (ranks, tables) rows that each has */
    size_t *bytes; /* (ranks) */
    char *sent, *got;
    int32_t *slot;       /* as many as the longest table has rows */
    const int32_t **ids; /* (ranks) of one table */
    const real **grad;   /* (ranks) of one table */
    int64_t *count;      /* (ranks) of one table */
    ParamRows **sum;     /* (tables) */
    int32_t **sum_row;   /* (tables) */
} Exchange;

static int64_t width_of(const Param *p) { return p->shape.d[p->shape.n - 1]; }
static int64_t rows_of(const Param *p) { return p->count / width_of(p); }

static bool is_table(const Param *p) { return p->as_rows && !p->frozen; }

/* slot[id] = place in the union; first marked, then numbered. */
static int64_t number_rows(int lists, const int64_t *n, const int32_t *const *ids, int64_t V, int32_t *slot,
                           int32_t *row)
{
    memset(slot, 0, (size_t)V * sizeof *slot);
    for (int r = 0; r < lists; r++)
        for (int64_t i = 0; i < n[r]; i++) slot[ids[r][i]] = 1;
    int32_t used = 0;
    for (int64_t v = 0; v < V; v++) {
        if (!slot[v]) continue;
        row[used] = (int32_t)v;
        slot[v] = ++used; /* one more than the place; 0: not there */
    }
    return used;
}

void sync_rows_merge(int lists, const int64_t *n, const int32_t *const *ids, const real *const *grad, int64_t D,
                     real scale, int64_t V, int32_t *slot, ParamRows *out, int32_t *out_row)
{
    out->n = number_rows(lists, n, ids, V, slot, out_row);
    out->row = out_row;
    for (int r = 0; r < lists; r++)
        for (int64_t i = 0; i < n[r]; i++) {
            int32_t *place = &slot[ids[r][i]];
            const bool first = *place > 0; /* negative from the first use on */
            if (first) *place = -*place;
            real *to = out->grad + (-*place - 1) * D;
            const real *from = grad[r] + i * D;
            if (first)
                memcpy(to, from, (size_t)D * sizeof *to);
            else
                kernels()->add(D, from, to);
        }
    if (scale != 1) kernels()->scale(out->n * D, scale, out->grad);
}

/* Bytes of a message with those counts. */
static size_t message_bytes(const Exchange *x, const int64_t *n)
{
    size_t reals = 0, ids = 0;
    for (int t = 0; t < x->tables; t++) {
        reals += (size_t)(n[t] * width_of(x->table[t]));
        ids += (size_t)n[t];
    }
    const size_t each = sizeof(real);
    return reals * each + (ids * sizeof(int32_t) + each - 1) / each * each;
}

static Status prepare(Exchange *x, Params *ps, Arena *step)
{
    TRY_NEW(x->mine, step, x->tables);
    TRY_NEW(x->table, step, x->tables);
    TRY_NEW(x->n, step, (int64_t)x->tables * x->ranks);
    TRY_NEW(x->bytes, step, x->ranks);
    for (int i = 0, t = 0; i < ps->n; i++) {
        Param *p = ps->item[i];
        if (!is_table(p)) continue;
        TRY(param_merge_rows(p, step));
        x->table[t] = p;
        x->mine[t++] = p->rows ? p->rows->n : 0;
    }
    return OK;
}

static void fill_message(Exchange *x)
{
    char *at = x->sent;
    for (int t = 0; t < x->tables; t++) {
        const size_t bytes = (size_t)(x->mine[t] * width_of(x->table[t])) * sizeof(real);
        if (bytes) memcpy(at, x->table[t]->rows->grad, bytes);
        at += bytes;
    }
    for (int t = 0; t < x->tables; t++) {
        const size_t bytes = (size_t)x->mine[t] * sizeof(int32_t);
        if (bytes) memcpy(at, x->table[t]->rows->row, bytes);
        at += bytes;
    }
}

/* All the memory that is still needed, so that nothing can fail once the rows are on their way. */
static Status allocate(Exchange *x, Arena *step)
{
    size_t total = 0;
    for (int r = 0; r < x->ranks; r++) total += x->bytes[r] = message_bytes(x, x->n + (size_t)r * (size_t)x->tables);
    int64_t longest = 0;
    TRY_NEW(x->ids, step, x->ranks);
    TRY_NEW(x->grad, step, x->ranks);
    TRY_NEW(x->count, step, x->ranks);
    TRY_NEW(x->sum, step, x->tables);
    TRY_NEW(x->sum_row, step, x->tables);
    for (int t = 0; t < x->tables; t++) {
        const int64_t V = rows_of(x->table[t]);
        int64_t most = 0;
        for (int r = 0; r < x->ranks; r++) most += x->n[r * x->tables + t];
        if (most > V) most = V;
        if (V > longest) longest = V;
        TRY_NEW(x->sum[t], step, 1);
        x->sum_row[t] = arena_alloc(step, (size_t)most * sizeof **x->sum_row);
        x->sum[t]->grad = arena_alloc(step, (size_t)(most * width_of(x->table[t])) * sizeof(real));
        REQUIRE(x->sum_row[t] && x->sum[t]->grad, ERR_HOST, "%s: %s", x->table[t]->name, status_message());
    }
    x->slot = arena_alloc(step, (size_t)longest * sizeof *x->slot);
    x->sent = arena_alloc(step, message_bytes(x, x->mine));
    x->got = arena_alloc(step, total);
    REQUIRE(x->slot && x->sent && x->got, ERR_HOST, "rows of gradients: %s", status_message());
    return OK;
}

/* Where each rank's rows of table t and their numbers lie in what was received. */
static void find_rows(Exchange *x, int t)
{
    const char *at = x->got;
    for (int r = 0; r < x->ranks; r++) {
        const int64_t *n = x->n + (size_t)r * (size_t)x->tables;
        size_t reals = 0, all_reals = 0, ids = 0;
        for (int k = 0; k < x->tables; k++) {
            const size_t here = (size_t)(n[k] * width_of(x->table[k]));
            all_reals += here;
            if (k < t) reals += here;
            if (k < t) ids += (size_t)n[k];
        }
        x->count[r] = n[t];
        x->grad[r] = (const real *)(const void *)at + reals;
        x->ids[r] = (const int32_t *)(const void *)(at + all_reals * sizeof(real)) + ids;
        at += x->bytes[r];
    }
}

static void scale_rows(const Params *ps, real scale)
{
    for (int i = 0; scale != 1 && i < ps->n; i++) {
        const Param *p = ps->item[i];
        if (!is_table(p) || !p->rows) continue;
        kernels()->scale(p->rows->n * width_of(p), scale, p->rows->grad);
    }
}

Status sync_rows(Comm *c, Params *ps, int64_t weight, Arena *step)
{
    Exchange x = {.ranks = comm_size(c)};
    for (int i = 0; i < ps->n; i++) x.tables += is_table(ps->item[i]);
    if (x.tables == 0) return OK;
    const real scale = weight > 0 ? (real)(1 / (double)weight) : 1;
    TRY(comm_agree(c, prepare(&x, ps, step)));
    if (x.ranks == 1) {
        scale_rows(ps, scale);
        return OK;
    }
    TRY(comm_allgather(c, x.mine, (size_t)x.tables * sizeof *x.mine, x.n));
    TRY(comm_agree(c, allocate(&x, step)));
    fill_message(&x);
    TRY(comm_allgatherv(c, x.sent, x.bytes, x.got));
    for (int t = 0; t < x.tables; t++) {
        find_rows(&x, t);
        const int64_t D = width_of(x.table[t]), V = rows_of(x.table[t]);
        sync_rows_merge(x.ranks, x.count, x.ids, x.grad, D, scale, V, x.slot, x.sum[t], x.sum_row[t]);
        x.table[t]->rows = x.sum[t];
    }
    return OK;
}
