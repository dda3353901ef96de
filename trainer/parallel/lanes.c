/* lanes.c - the tree over the lanes, and this rank's part of it. */
#include <string.h>

#include "io/batch/build.h"
#include "trainer/core/kernel.h"
#include "trainer/parallel/lanes_parts.h"

int64_t lanes_first(int64_t lanes, int rank, int ranks) { return lanes * rank / ranks; }
int64_t lanes_from(const Lanes *l) { return l->from; }
int64_t lanes_to(const Lanes *l) { return l->to; }

Status lanes_settle(Lanes *l, LaneNode *stack, int *n, LanesAdd add)
{
    for (;;) {
        LaneNode *top = &stack[*n - 1];
        const int64_t size = INT64_C(1) << top->level;
        if (size >= l->lanes) return OK; /* the root */
        const bool right = (top->begin / size) % 2 == 1;
        if (!right && top->begin + size < l->lanes) return OK; /* waits for its right neighbour */
        if (right) {
            LaneNode *left = *n >= 2 ? top - 1 : NULL;
            if (!left || left->begin != top->begin - size || left->level != top->level) return OK; /* another rank's */
            if (add) TRY(add(l, left, top));
            --*n;
            top = left;
        }
        top->level++; /* of both together, or alone: there is no lane to the right */
    }
}

/* The nodes that a rank is left with. Returns the most that it holds at any time, and fills node. */
static int rank_nodes(Lanes *l, int rank, LaneNode *node, int *n)
{
    const int ranks = comm_size(l->comm);
    int most = 0;
    *n = 0;
    for (int64_t lane = lanes_first(l->lanes, rank, ranks); lane < lanes_first(l->lanes, rank + 1, ranks); lane++) {
        node[(*n)++] = (LaneNode){.begin = lane};
        if (lanes_settle(l, node, n, NULL) != OK) return 0; /* without add it cannot fail */
        if (*n > most) most = *n;
    }
    return most;
}

static Status plan(Lanes *l)
{
    const int rank = comm_rank(l->comm), ranks = comm_size(l->comm);
    LaneNode node[LANES_STACK];
    int n;
    TRY_NEW(l->nodes_of, &l->buffers, ranks);
    for (int r = 0; r < ranks; r++) {
        const int most = rank_nodes(l, r, node, &n);
        if (r == rank) l->n_buffers = most;
        l->nodes_of[r] = n;
        l->n_nodes += n;
    }
    TRY_NEW(l->node, &l->buffers, l->n_nodes);
    TRY_NEW(l->work, &l->buffers, l->n_nodes);
    for (int r = 0, at = 0; r < ranks; r++) {
        rank_nodes(l, r, node, &n);
        for (int i = 0; i < n; i++) l->node[at++] = node[i];
    }
    return OK;
}

static Status allocate(Lanes *l)
{
    const Params *ps = l->params;
    const int ranks = comm_size(l->comm);
    TRY(plan(l));
    for (int i = 0; i < l->n_buffers; i++) TRY_NEW(l->buffer[i], &l->buffers, ps->dense);
    TRY_NEW(l->table, &l->buffers, ps->n);
    for (int i = 0; i < ps->n; i++)
        if (ps->item[i]->as_rows && !ps->item[i]->frozen) l->table[l->n_tables++] = ps->item[i];
    TRY_NEW(l->result, &l->buffers, l->n_tables);
    TRY_NEW(l->bytes_sent, &l->buffers, ranks);
    TRY_NEW(l->bytes_got, &l->buffers, ranks);
    if (ranks == 1) return OK;
    const int64_t segment = ps->dense < LANES_SEGMENT ? ps->dense : LANES_SEGMENT;
    TRY_NEW(l->sent, &l->buffers, segment * l->nodes_of[comm_rank(l->comm)]);
    TRY_NEW(l->got, &l->buffers, (segment / ranks + 1) * l->n_nodes);
    return OK;
}

Status lanes_open(Lanes **out, Arena *run, Comm *c, Params *ps, int64_t lanes)
{
    const int rank = comm_rank(c), ranks = comm_size(c);
    REQUIRE(lanes >= ranks && lanes <= INT64_C(1) << (LANES_LEVELS - 2), ERR_CONFIG,
            "train.lanes is %lld, but there are %d ranks: each needs a lane of its own", (long long)lanes, ranks);
    Lanes *l;
    TRY_NEW(l, run, 1);
    *l = (Lanes){.comm = c, .params = ps, .lanes = lanes};
    l->from = lanes_first(lanes, rank, ranks);
    l->to = lanes_first(lanes, rank + 1, ranks);
    *out = l;
    const Status st = allocate(l);
    if (st != OK) lanes_close(l);
    return st;
}

void lanes_close(Lanes *l)
{
    if (!l) return;
    arena_close(&l->buffers);
    arena_close(&l->memory);
}

void lanes_begin(Lanes *l)
{
    arena_release(&l->memory, (ArenaMark){0});
    l->n_stack = 0;
    l->next = l->from;
}

Status lanes_add_dense(Lanes *l, LaneNode *left, const LaneNode *right)
{
    kernels()->add(l->count, right->dense, left->dense);
    return OK;
}

static int64_t width_of(const Param *p) { return p->shape.d[p->shape.n - 1]; }

/* Two ascending lists of rows as one; where both have a row it is left + right. */
static Status join(Arena *memory, ParamRows *left, const ParamRows *right, int64_t D)
{
    if (right->n == 0) return OK;
    int32_t *row = arena_alloc(memory, (size_t)(left->n + right->n) * sizeof *row);
    real *grad = arena_alloc(memory, (size_t)((left->n + right->n) * D) * sizeof *grad);
    REQUIRE(row && grad, ERR_HOST, "rows of gradients: %s", status_message());
    int64_t n = 0;
    for (int64_t i = 0, k = 0; i < left->n || k < right->n; n++) {
        const bool a = i < left->n && (k == right->n || left->row[i] <= right->row[k]);
        const bool b = k < right->n && (i == left->n || right->row[k] <= left->row[i]);
        const real *x = a ? left->grad + i * D : right->grad + k * D, *y = right->grad + k * D;
        row[n] = a ? left->row[i] : right->row[k];
        for (int64_t d = 0; d < D; d++) grad[n * D + d] = a && b ? x[d] + y[d] : x[d];
        i += a;
        k += b;
    }
    *left = (ParamRows){.n = n, .row = row, .grad = grad};
    return OK;
}

Status lanes_add_rows(Lanes *l, LaneNode *left, const LaneNode *right)
{
    for (int t = 0; t < l->n_tables; t++) TRY(join(&l->memory, &left->rows[t], &right->rows[t], width_of(l->table[t])));
    return OK;
}

static Status add_both(Lanes *l, LaneNode *left, const LaneNode *right)
{
    TRY(lanes_add_dense(l, left, right));
    return lanes_add_rows(l, left, right);
}

/* The rows of the params as they are now, in memory of our own. */
static Status copy_rows(Lanes *l, Arena *scratch, LaneNode *leaf)
{
    TRY_NEW(leaf->rows, &l->memory, l->n_tables);
    for (int t = 0; t < l->n_tables; t++) {
        Param *p = l->table[t];
        TRY(param_merge_rows(p, scratch));
        if (!p->rows || p->rows->n == 0) continue;
        const size_t n = (size_t)p->rows->n, bytes = n * (size_t)width_of(p) * sizeof(real);
        int32_t *row = arena_alloc(&l->memory, n * sizeof *row);
        real *grad = arena_alloc(&l->memory, bytes);
        REQUIRE(row && grad, ERR_HOST, "%s: %s", p->name, status_message());
        memcpy(row, p->rows->row, n * sizeof *row);
        memcpy(grad, p->rows->grad, bytes);
        leaf->rows[t] = (ParamRows){.n = p->rows->n, .row = row, .grad = grad};
    }
    return OK;
}

Status lanes_add(Lanes *l, Arena *scratch)
{
    REQUIRE(l->next < l->to, ERR_INTERNAL, "lane %lld is not of this rank, which has %lld to %lld", (long long)l->next,
            (long long)l->from, (long long)l->to - 1);
    l->count = l->params->dense;
    LaneNode *leaf = &l->stack[l->n_stack++];
    *leaf = (LaneNode){.begin = l->next++, .dense = l->params->grad};
    TRY(copy_rows(l, scratch, leaf));
    TRY(lanes_settle(l, l->stack, &l->n_stack, add_both));
    LaneNode *top = &l->stack[l->n_stack - 1];
    if (top->dense != l->params->grad) return OK; /* it was added to a sum that lies in a buffer already */
    top->dense = l->buffer[l->n_stack - 1];
    memcpy(top->dense, l->params->grad, (size_t)l->params->dense * sizeof(real));
    return OK;
}

Status lanes_batch(const Batch *all, int64_t lane, int64_t lanes, Arena *arena, Batch *out)
{
    int64_t *row, n = 0;
    TRY_NEW(row, arena, all->B / lanes + 1);
    for (int64_t e = lane; e < all->B; e += lanes) row[n++] = e;
    TRY(build_rows(out, arena, all, n, row));
    out->all = all->all;
    return OK;
}
