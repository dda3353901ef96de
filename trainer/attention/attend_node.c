/* attend_node.c - all queries of all sequences as one block, as a node of the tape. */
#include <string.h>

#include "trainer/attention/attend.h"
#include "trainer/op/shape.h"

typedef struct Keep {
    const Attend *attend;
    AttendRun *run;
    AttendBlock block;
    Segments keys;
    bool valued;    /* the last input are the values */
    real d_penalty; /* d loss / d penalty */
} Keep;

static Status gradient(Keep *k, const Node *y, real *d_query, real *d_key, real *d_value)
{
    attend_begin_backward(k->run, k->d_penalty, NULL);
    attend_backward(k->run, &k->block, y->grad, k->block.ld_context, d_query, k->block.ld_query);
    return attend_finish(k->run, d_key, d_value);
}

/* The gradient of an input, or memory in its place where it needs none: the engine always makes both. */
static real *taken(Tape *t, Node *n)
{
    real *grad = node_grad(t, n);
    if (grad || t->status != OK) return grad;
    grad = tape_alloc(t, (size_t)shape_count(&n->shape) * sizeof *grad);
    return grad ? memset(grad, 0, (size_t)shape_count(&n->shape) * sizeof *grad) : NULL;
}

static void backward(Tape *t, Node *y)
{
    Keep *k = y->data;
    if (!node_grad(t, y)) return; /* only a penalty came back */
    real *d[3] = {NULL};
    for (int i = 0; i < y->n_in; i++) d[i] = taken(t, y->in[i]);
    if (t->status != OK) return;
    real *d_value = k->valued ? d[y->n_in - 1] : NULL, *d_key = d[y->n_in - (k->valued ? 2 : 1)];
    const ArenaMark mark = arena_mark(t->arena);
    const Status st = gradient(k, y, k->block.query ? d[0] : NULL, d_key, d_value);
    arena_release(t->arena, mark);
    if (st != OK) tape_fail(t, st);
}

static const OpDef def = {"attention", backward};

/* Rows of the block: which example each asks, and where it stands there. */
static Status plan(AttendBlock *b, Arena *arena, const AttendAsk *ask)
{
    int32_t *sentence;
    int64_t *position;
    TRY_NEW(sentence, arena, b->rows);
    b->sentence = sentence;
    if (!ask->queries.offset) {
        for (int64_t i = 0; i < b->rows; i++) sentence[i] = (int32_t)i;
        return OK;
    }
    TRY_NEW(position, arena, b->rows);
    b->position = position;
    for (int64_t e = 0; e < ask->queries.n; e++)
        for (int64_t i = ask->queries.offset[e]; i < ask->queries.offset[e + 1]; i++) {
            sentence[i] = (int32_t)e;
            position[i] = i - ask->queries.offset[e];
        }
    return OK;
}

static Status run(Keep *k, Tape *t, const AttendAsk *ask)
{
    const Attend *a = k->attend;
    const bool draws = t->train && a->select->draws;
    REQUIRE(!draws || ask->row_key, ERR_INTERNAL, "an attention draws without keys");
    TRY(plan(&k->block, t->arena, ask));
    TRY(attend_open(&k->run, a, t->arena,
                    &(AttendBatch){.key = ask->key->value,
                                   .value = ask->value ? ask->value->value : NULL,
                                   .keys = ask->keys,
                                   .slots = k->block.rows,
                                   .train = t->train,
                                   .backward = true,
                                   .step = t->step,
                                   .noise = draws ? tape_random(t, RANDOM_SELECT) : (RandomKey){{0, 0}},
                                   .row_key = ask->row_key}));
    attend_forward(k->run, &k->block);
    return OK;
}

static bool fits(const Attend *a, const AttendAsk *ask)
{
    const int64_t m = a->score.size.query;
    const Node *q = ask->query, *v = ask->value;
    if (!op_is(ask->key, 2) || ask->key->shape.d[1] != a->score.size.width) return false;
    if (!op_segments_cover(ask->keys, ask->key->shape.d[0])) return false;
    if (v && (!op_is(v, 2) || v->shape.d[0] != ask->key->shape.d[0])) return false;
    if ((v ? v->shape.d[1] : ask->key->shape.d[1]) != a->values) return false;
    if (m == 0) return !q && !ask->queries.offset;
    if (!q || !op_is(q, 2) || q->shape.d[1] != m) return false;
    return ask->queries.offset ? ask->queries.n == ask->keys.n && op_segments_cover(ask->queries, q->shape.d[0])
                               : q->shape.d[0] == 1;
}

Node *attend_node(const Attend *a, Tape *t, const AttendAsk *ask)
{
    if (t->status == OK && !fits(a, ask))
        return op_refuse(t, "attention of %s to %s", ask->query ? op_shape_text(ask->query) : "no query",
                         op_shape_text(ask->key));
    const int64_t rows = ask->queries.offset ? ask->queries.offset[ask->queries.n] : ask->keys.n;
    Node *in[3];
    int n = 0;
    if (ask->query) in[n++] = ask->query;
    in[n++] = ask->key;
    if (ask->value) in[n++] = ask->value;
    bool ok;
    Node *y = tape_node(t, &def, SHAPE2(rows, attend_width(a)), n, in, &ok);
    Keep *k = ok ? y->data = tape_alloc(t, sizeof *k) : NULL;
    if (!k) return y;
    *k = (Keep){.attend = a,
                .block = {.rows = rows,
                          .query = ask->query ? ask->query->value : NULL,
                          .ld_query = ask->queries.offset ? a->score.size.query : 0,
                          .context = y->value,
                          .ld_context = attend_width(a)},
                .keys = ask->keys,
                .valued = ask->value};
    const Status st = run(k, t, ask);
    if (st != OK) tape_fail(t, st);
    return y;
}

/* The node's own backward takes it from there. */
static void penalty_backward(Tape *t, Node *y)
{
    (void)t;
    ((Keep *)y->in[0]->data)->d_penalty += y->grad[0];
    y->in[0]->owes = true;
}

static const OpDef penalty_def = {"attention_penalty", penalty_backward};

Node *attend_node_penalty(Node *y, Tape *t)
{
    if (t->status != OK || !attend_penalised(((const Keep *)y->data)->attend)) return NULL;
    bool ok;
    Node *n = tape_node(t, &penalty_def, SHAPE1(1), 1, &y, &ok);
    if (ok) n->value[0] = (real)attend_penalty(((const Keep *)y->data)->run);
    return n;
}

void attend_node_view(Node *y, Tape *t, const TapeView *as)
{
    if (!t->watch || t->status != OK) return;
    const Keep *k = y->data;
    const int64_t rows = k->block.rows, K = attend_heads(k->attend);
    int64_t *offset = tape_alloc(t, (size_t)(rows + 1) * sizeof *offset);
    if (!offset) return;
    offset[0] = 0;
    for (int64_t i = 0; i < rows; i++) {
        const int64_t *at = k->keys.offset + k->block.sentence[i];
        offset[i + 1] = offset[i] + at[1] - at[0];
    }
    real *weight = tape_alloc(t, (size_t)(offset[rows] * K) * sizeof *weight);
    if (!weight) return;
    for (int64_t i = 0; i < rows; i++) {
        const real *row = attend_weights(k->run, i);
        const int64_t keys = offset[i + 1] - offset[i];
        for (int64_t j = 0; j < keys; j++)
            for (int64_t h = 0; h < K; h++) weight[(offset[i] + j) * K + h] = row[h * keys + j];
    }
    TapeView v = *as;
    v.weight = tape_leaf(t, SHAPE2(offset[rows], K), weight, NULL);
    v.keys = (Segments){rows, offset};
    tape_view(t, &v);
}
