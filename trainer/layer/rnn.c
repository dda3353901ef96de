/* rnn.c - parameters and nodes of recurrent layers; the work is in rnn_forward.c and rnn_backward.c. */
#include "trainer/layer/rnn.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "trainer/layer/rnn_run.h"
#include "trainer/op/op.h"

static Status declare_direction(RnnLayer *l, Params *ps, const char *path, const RnnSettings *s, int d)
{
    const RnnCellDef *def = rnn_cell_def(s->cell);
    const char *side = d ? "backward" : "forward";
    const int64_t h = s->hidden, gates = def->gates * h;
    /* Glorot's spread is that of one gate: (input, H), not (input, G * H) */
    const double one_gate = sqrt((double)(l->input + gates) / (double)(l->input + h));
    const char *name = arena_format(ps->arena, "%s/%s/W", path, side);
    if (!name) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    TRY(param_add(&l->w[d], ps, name, SHAPE2(l->input, gates), INIT_XAVIER, one_gate));
    l->w[d]->meaning =
        arena_format(ps->arena, "input to gates: rows are inputs, columns the gates %s", def->gates_text);
    name = arena_format(ps->arena, "%s/%s/U", path, side);
    if (!l->w[d]->meaning || !name) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    TRY(param_add(&l->u[d], ps, name, SHAPE2(h, gates), INIT_ORTHOGONAL, 1));
    l->u[d]->meaning = arena_format(ps->arena, "state before to gates: columns the gates %s", def->gates_text);
    name = arena_format(ps->arena, "%s/%s/b", path, side);
    if (!l->u[d]->meaning || !name) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    TRY(param_add(&l->b[d], ps, name, SHAPE1(gates + (def->recurrent_bias >= 0 ? h : 0)), INIT_ZERO, 0));
    l->b[d]->meaning = arena_format(ps->arena, "bias of the gates %s%s", def->gates_text,
                                    def->recurrent_bias >= 0 ? ", then of n's recurrent product" : "");
    return l->b[d]->meaning ? OK : status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
}

Status rnn_declare(Rnn *r, Params *ps, const char *path, RnnSettings s, int64_t input)
{
    REQUIRE(s.hidden >= 1 && s.layers >= 1 && input >= 1, ERR_INTERNAL,
            "%s: %lld units in %lld layers over %lld inputs", path, (long long)s.hidden, (long long)s.layers,
            (long long)input);
    *r = (Rnn){.settings = s};
    TRY_NEW(r->layer, ps->arena, s.layers);
    for (int64_t i = 0; i < s.layers; i++) {
        r->layer[i].input = i == 0 ? input : s.hidden * (s.bidirectional ? 2 : 1);
        char own[512];
        snprintf(own, sizeof own, s.layers > 1 ? "%s/layer%lld" : "%s", path, (long long)i + 1);
        for (int d = 0; d < (s.bidirectional ? 2 : 1); d++) TRY(declare_direction(&r->layer[i], ps, own, &s, d));
    }
    return OK;
}

static void layer_backward(Tape *t, Node *y)
{
    RnnRun *run = y->data;
    RnnGradients g = {.x = node_grad(t, y->in[0])};
    const real *d_states = node_grad(t, y); /* 0 when a gradient came to the last cells alone */
    for (int d = 0; d < run->directions; d++) {
        g.w[d] = node_grad(t, y->in[1 + 3 * d]);
        g.u[d] = node_grad(t, y->in[2 + 3 * d]);
        g.b[d] = node_grad(t, y->in[3 + 3 * d]);
    }
    if (t->status != OK) return;
    const ArenaMark mark = arena_mark(t->arena);
    const Status st = rnn_run_backward(run, t->arena, y->in[0]->value, d_states, &g);
    arena_release(t->arena, mark);
    if (st != OK) tape_fail(t, st);
}

static const OpDef layer_def = {"rnn", layer_backward};

/* Inverted dropout, one mask a sequence. */
static Status draw_masks(RnnRun *run, Tape *t, double p, const uint64_t *row_key)
{
    const real keep = (real)(1 / (1 - p));
    for (int d = 0; d < run->directions; d++) {
        const RandomKey key = tape_random(t, RANDOM_DROPOUT);
        TRY_NEW(run->mask[d], t->arena, run->seq.n * run->h);
        for (int64_t i = 0; i < run->seq.n; i++)
            for (int64_t j = 0; j < run->h; j++) {
                uint32_t bits[4];
                random_bits(key, row_key[i], (uint64_t)j, bits);
                run->mask[d][i * run->h + j] = (double)bits[0] * 0x1p-32 < p ? 0 : keep;
            }
    }
    return OK;
}

static Status prepare(RnnRun *run, Tape *t, const Rnn *r, const uint64_t *row_key)
{
    Arena *a = t->arena;
    run->w = arena_alloc(a, (size_t)(run->layer->input * run->inputs) * sizeof(real));
    for (int d = 0; run->w && d < run->directions; d++) {
        run->record[d] = arena_alloc(a, (size_t)(run->positions * run->def->columns * run->h) * sizeof(real));
        run->before[d] = arena_alloc(a, (size_t)(run->positions * run->h) * sizeof(real));
        if (!run->record[d] || !run->before[d]) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    }
    if (!run->w) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    TRY_NEW(run->zeros, a, run->h);
    if (t->train && r->settings.recurrent_dropout > 0) TRY(draw_masks(run, t, r->settings.recurrent_dropout, row_key));
    return rnn_plan(run, a);
}

static Status layer_run(RnnRun *run, Tape *t, const Rnn *r, const Node *x, const uint64_t *row_key)
{
    TRY(prepare(run, t, r, row_key));
    const ArenaMark mark = arena_mark(t->arena);
    const Status st = rnn_run_forward(run, t->arena, x->value, r->settings.forget_bias);
    arena_release(t->arena, mark);
    return st;
}

static Status check_input(const RnnLayer *l, const Node *x, const int32_t *index, int64_t positions)
{
    REQUIRE(x->shape.n == 2 && x->shape.d[1] == l->input && (index || x->shape.d[0] == positions), ERR_INTERNAL,
            "a recurrent layer of %lld inputs got %lld rows of %lld for %lld positions", (long long)l->input,
            (long long)x->shape.d[0], (long long)x->shape.d[x->shape.n - 1], (long long)positions);
    return OK;
}

static Node *layer_forward(const Rnn *r, const RnnLayer *l, Tape *t, Node *x, const int32_t *index, Segments seq,
                           const uint64_t *row_key)
{
    const int directions = r->settings.bidirectional ? 2 : 1;
    const RnnCellDef *def = rnn_cell_def(r->settings.cell);
    const int64_t h = r->settings.hidden, positions = seq.n ? seq.offset[seq.n] : 0;
    if (t->status == OK) tape_fail(t, check_input(l, x, index, positions));
    Node *in[1 + 3 * 2] = {x};
    for (int d = 0; d < directions; d++) {
        in[1 + 3 * d] = tape_param(t, l->w[d]);
        in[2 + 3 * d] = tape_param(t, l->u[d]);
        in[3 + 3 * d] = tape_param(t, l->b[d]);
    }
    bool ok;
    Node *y = tape_node(t, &layer_def, SHAPE2(positions, directions * h), 1 + 3 * directions, in, &ok);
    RnnRun *run = ok ? tape_alloc(t, sizeof *run) : NULL;
    if (!run) return y;
    *run = (RnnRun){.def = def,
                    .layer = l,
                    .index = index,
                    .seq = seq,
                    .positions = positions,
                    .rows = x->shape.d[0],
                    .h = h,
                    .directions = directions,
                    .reversed = r->settings.reversed && !r->settings.bidirectional,
                    .inputs = directions * def->gates * h,
                    .states = y->value};
    y->data = run;
    tape_fail(t, layer_run(run, t, r, x, row_key));
    return y;
}

/* Dropout's keys of the positions of each sequence. A row's key uses its upper bits too: it is spread, not shifted. */
static uint64_t *position_keys(Tape *t, Segments seq, const uint64_t *row_key)
{
    uint64_t *key = tape_alloc(t, (size_t)(seq.n ? seq.offset[seq.n] : 0) * sizeof *key);
    for (int64_t i = 0; key && i < seq.n; i++)
        for (int64_t p = seq.offset[i]; p < seq.offset[i + 1]; p++)
            key[p] = row_key[i] * 0x9e3779b97f4a7c15u + (uint64_t)(p - seq.offset[i]);
    return key;
}

RnnOut rnn_forward(const Rnn *r, Tape *t, Node *x, const int32_t *index, Segments seq, const uint64_t *row_key)
{
    const RnnSettings *s = &r->settings;
    const bool drop = t->train && s->dropout > 0 && s->layers > 1;
    if (t->status == OK && !row_key && t->train && (drop || s->recurrent_dropout > 0))
        tape_fail(t, status_fail(ERR_INTERNAL, __FILE__, __LINE__, __func__, "dropout without keys"));
    const uint64_t *key = drop && t->status == OK ? position_keys(t, seq, row_key) : NULL;
    RnnOut out = {.states = x};
    if (s->every_last) out.layer = tape_alloc(t, (size_t)s->layers * sizeof *out.layer);
    for (int64_t i = 0; i < s->layers; i++) {
        if (i > 0 && drop) out.states = op_dropout(t, out.states, s->dropout, key);
        out.states = layer_forward(r, &r->layer[i], t, out.states, i == 0 ? index : NULL, seq, row_key);
        if (out.layer)
            out.layer[i] =
                (RnnLast){rnn_last_state(t, out.states), s->cell == RNN_LSTM ? rnn_last_cell(t, out.states) : NULL};
    }
    out.last = out.layer ? out.layer[s->layers - 1].state : rnn_last_state(t, out.states);
    return out;
}
