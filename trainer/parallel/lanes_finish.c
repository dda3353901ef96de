/* lanes_finish.c - the upper part of the tree, over the ranks.
 *
 * Dense: the gradient travels in segments; of each, every rank gets one slice of all nodes of all ranks, adds it up the
 * tree and sends the sum to all. Rows: all ranks get all nodes and add them. */
#include <string.h>

#include "comm/signals.h"
#include "trainer/core/kernel.h"
#include "trainer/parallel/lanes_parts.h"

static int64_t slice(int64_t count, int rank, int ranks) { return count * rank / ranks; }

static int my_nodes(const Lanes *l) { return l->nodes_of[comm_rank(l->comm)]; }

/* Slice by slice, and of each slice node by node: what goes to the ranks. */
static void pack(Lanes *l, int64_t start, int64_t count)
{
    const int ranks = comm_size(l->comm);
    real *to = l->sent;
    for (int r = 0; r < ranks; r++) {
        const int64_t from = slice(count, r, ranks), n = slice(count, r + 1, ranks) - from;
        for (int i = 0; i < my_nodes(l); i++, to += n)
            memcpy(to, l->stack[i].dense + start + from, (size_t)n * sizeof *to);
        l->bytes_sent[r] = (size_t)(n * my_nodes(l)) * sizeof *to;
    }
}

/* [collective] params->grad[start ... start + count) = the sum over all lanes. */
static Status segment(Lanes *l, int64_t start, int64_t count)
{
    const int rank = comm_rank(l->comm), ranks = comm_size(l->comm);
    const int64_t mine = slice(count, rank + 1, ranks) - slice(count, rank, ranks);
    pack(l, start, count);
    for (int r = 0; r < ranks; r++) l->bytes_got[r] = (size_t)(mine * l->nodes_of[r]) * sizeof(real);
    TRY(comm_alltoallv(l->comm, l->sent, l->bytes_sent, l->got, l->bytes_got));
    int n = 0;
    l->count = mine;
    for (int i = 0; i < l->n_nodes; i++) {
        l->work[n] = l->node[i];
        l->work[n++].dense = l->got + i * mine;
        TRY(lanes_settle(l, l->work, &n, lanes_add_dense));
    }
    for (int r = 0; r < ranks; r++)
        l->bytes_got[r] = (size_t)(slice(count, r + 1, ranks) - slice(count, r, ranks)) * sizeof(real);
    return comm_allgatherv(l->comm, l->work[0].dense, l->bytes_got, l->params->grad + start);
}

static Status finish_dense(Lanes *l)
{
    const int64_t all = l->params->dense;
    if (comm_size(l->comm) == 1) {
        memcpy(l->params->grad, l->stack[0].dense, (size_t)all * sizeof(real));
        return OK;
    }
    for (int64_t start = 0; start < all; start += LANES_SEGMENT)
        TRY(segment(l, start, all - start < LANES_SEGMENT ? all - start : LANES_SEGMENT));
    return OK;
}

/* --- rows --- */

typedef struct RowMessages {
    int64_t *mine, *n; /* (nodes, tables) counts of rows: of this rank's nodes, of all */
    size_t *bytes;     /* (ranks) */
    char *sent, *got;
} RowMessages;

static size_t row_bytes(const Lanes *l, int t)
{
    const Shape *s = &l->table[t]->shape;
    return (size_t)s->d[s->n - 1] * sizeof(real);
}

/* A message: the rows of all nodes and tables one after the other, then their numbers, rounded up to whole reals. */
static size_t message_bytes(const Lanes *l, const int64_t *n, int nodes, size_t *reals)
{
    size_t ids = 0;
    *reals = 0;
    for (int i = 0; i < nodes * l->n_tables; i++) {
        *reals += (size_t)n[i] * row_bytes(l, i % l->n_tables);
        ids += (size_t)n[i];
    }
    return *reals + (ids * sizeof(int32_t) + sizeof(real) - 1) / sizeof(real) * sizeof(real);
}

static Status prepare_counts(Lanes *l, RowMessages *m)
{
    const int ranks = comm_size(l->comm);
    TRY_NEW(m->mine, &l->memory, my_nodes(l) * l->n_tables);
    TRY_NEW(m->n, &l->memory, (int64_t)l->n_nodes * l->n_tables);
    TRY_NEW(m->bytes, &l->memory, ranks);
    for (int r = 0; r < ranks; r++) m->bytes[r] = (size_t)(l->nodes_of[r] * l->n_tables) * sizeof *m->n;
    for (int i = 0; i < my_nodes(l); i++)
        for (int t = 0; t < l->n_tables; t++) m->mine[i * l->n_tables + t] = l->stack[i].rows[t].n;
    return OK;
}

static Status prepare_rows(Lanes *l, RowMessages *m)
{
    const int64_t *n = m->n;
    size_t total = 0, reals;
    for (int r = 0; r < comm_size(l->comm); r++) {
        total += m->bytes[r] = message_bytes(l, n, l->nodes_of[r], &reals);
        n += l->nodes_of[r] * l->n_tables;
    }
    m->sent = arena_alloc(&l->memory, message_bytes(l, m->mine, my_nodes(l), &reals));
    m->got = arena_alloc(&l->memory, total);
    REQUIRE(m->sent && m->got, ERR_HOST, "rows of gradients: %s", status_message());
    char *grad = m->sent, *id = m->sent + reals;
    for (int i = 0; i < my_nodes(l) * l->n_tables; i++) {
        const ParamRows *r = &l->stack[i / l->n_tables].rows[i % l->n_tables];
        const size_t bytes = (size_t)r->n * row_bytes(l, i % l->n_tables), ids = (size_t)r->n * sizeof(int32_t);
        if (r->n) memcpy(grad, r->grad, bytes);
        if (r->n) memcpy(id, r->row, ids);
        grad += bytes;
        id += ids;
    }
    for (int i = 0; i < l->n_nodes; i++) TRY_NEW(l->node[i].rows, &l->memory, l->n_tables);
    return OK;
}

/* Let the nodes of all ranks point into what came. */
static void find_rows(Lanes *l, const RowMessages *m)
{
    char *at = m->got;
    int node = 0;
    for (int r = 0; r < comm_size(l->comm); r++) {
        size_t reals;
        message_bytes(l, m->n + node * l->n_tables, l->nodes_of[r], &reals);
        char *grad = at, *id = at + reals;
        for (int i = 0; i < l->nodes_of[r]; i++, node++)
            for (int t = 0; t < l->n_tables; t++) {
                const int64_t n = m->n[node * l->n_tables + t];
                l->node[node].rows[t] = (ParamRows){.n = n, .row = (int32_t *)(void *)id, .grad = (real *)(void *)grad};
                grad += (size_t)n * row_bytes(l, t);
                id += (size_t)n * sizeof(int32_t);
            }
        at += m->bytes[r];
    }
}

static Status add_nodes(Lanes *l)
{
    int n = 0;
    for (int i = 0; i < l->n_nodes; i++) {
        l->work[n++] = l->node[i];
        TRY(lanes_settle(l, l->work, &n, lanes_add_rows));
    }
    return OK;
}

static Status finish_rows(Lanes *l)
{
    if (l->n_tables == 0) return OK;
    const ParamRows *sum = l->stack[0].rows;
    if (comm_size(l->comm) > 1) {
        RowMessages m = {0};
        TRY(comm_agree(l->comm, prepare_counts(l, &m)));
        TRY(comm_allgatherv(l->comm, m.mine, m.bytes, m.n));
        TRY(comm_agree(l->comm, prepare_rows(l, &m)));
        TRY(comm_allgatherv(l->comm, m.sent, m.bytes, m.got));
        find_rows(l, &m);
        TRY(comm_agree(l->comm, add_nodes(l)));
        sum = l->work[0].rows;
    }
    for (int t = 0; t < l->n_tables; t++) {
        l->result[t] = sum[t];
        l->table[t]->rows = &l->result[t];
    }
    return OK;
}

static Status check_all_added(const Lanes *l)
{
    REQUIRE(l->next == l->to, ERR_INTERNAL, "lanes %lld to %lld were not added", (long long)l->next,
            (long long)l->to - 1);
    return OK;
}

Status lanes_finish(Lanes *l, int64_t weight, Status local, SyncResult *out)
{
    *out = (SyncResult){0};
    if (local == OK) local = check_all_added(l);
    TRY(comm_agree(l->comm, local));
    int64_t sum[2] = {weight, signals_pending() ? 1 : 0};
    TRY(comm_allreduce(l->comm, sum, 2, COMM_I64, COMM_SUM));
    out->weight = sum[0];
    out->stop = sum[1] != 0;
    TRY(finish_dense(l));
    TRY(finish_rows(l));
    if (out->weight <= 0) return OK;
    const real factor = (real)(1 / (double)out->weight);
    kernels()->scale(l->params->dense, factor, l->params->grad);
    for (int t = 0; t < l->n_tables; t++)
        kernels()->scale(l->result[t].n * (int64_t)(row_bytes(l, t) / sizeof(real)), factor, l->result[t].grad);
    return OK;
}
