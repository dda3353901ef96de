/* decoder.c - parameters of a decoder, and its node on the tape. */
#include "trainer/layer/decoder.h"

#include <math.h>
#include <string.h>

#include "trainer/layer/decoder_run.h"
#include "trainer/op/op.h"

const char *decoder_apply_name(int i) { return (const char *const[]){"none", "between", "after", NULL}[i]; }

int64_t decoder_width(const Decoder *d)
{
    return d->settings.hidden + (d->settings.apply == DECODER_BETWEEN ? d->context : 0);
}

static Status build_combine(Decoder *d, Params *ps, const char *path)
{
    const int64_t h = d->settings.hidden;
    const char *name = arena_format(ps->arena, "%s/combine/W", path);
    if (!name) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    TRY(param_add(&d->combine, ps, name, SHAPE2(d->context + h, h), INIT_XAVIER, 1));
    d->combine->meaning = "context and state to the result: rows are the context's units, then the state's";
    return OK;
}

Status decoder_build(Decoder *d, Params *ps, const char *path, const DecoderSettings *s, const Attend *attend)
{
    REQUIRE((s->apply != DECODER_NONE) == (attend != NULL), ERR_INTERNAL, "%s: an attention that is not applied", path);
    *d = (Decoder){.settings = *s, .attend = attend, .context = attend ? attend_width(attend) : 0};
    TRY_NEW(d->cell, ps->arena, s->layers);
    for (int64_t l = 0; l < s->layers; l++) {
        DecoderCell *c = &d->cell[l];
        c->input = l == 0 ? s->input : s->hidden;
        if (l == 0 && s->apply == DECODER_BETWEEN) c->extra = d->context;
        if (l == 0 && s->apply == DECODER_AFTER && s->input_feeding) c->extra = s->hidden;
        const char *own = arena_format(ps->arena, "%s/layer%lld", path, (long long)l + 1);
        if (!own) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
        TRY(decoder_cell_build(c, ps, own, s->cell, s->hidden));
    }
    return s->apply == DECODER_AFTER ? build_combine(d, ps, path) : OK;
}

/* Where the gradients of what was before the first step go. */
static Status start_nodes(const DecoderRun *r, Tape *t, real ***state, real ***cell)
{
    const int64_t layers = r->decoder->settings.layers;
    TRY_NEW(*state, t->arena, layers);
    TRY_NEW(*cell, t->arena, layers);
    for (int64_t l = 0; l < layers; l++) {
        (*state)[l] = node_grad(t, r->begin->layer[l].state);
        if (r->begin->layer[l].cell) (*cell)[l] = node_grad(t, r->begin->layer[l].cell);
    }
    return OK;
}

static Status backward_run(Tape *t, Node *y, DecoderGradients *g)
{
    DecoderRun *r = y->data;
    real **state, **cell;
    TRY(start_nodes(r, t, &state, &cell));
    g->d_state = state;
    g->d_cell = cell;
    TRY(tape_status(t));
    const ArenaMark mark = arena_mark(t->arena);
    Status st = r->attend ? decoder_attend_begin_backward(r, t->arena) : OK;
    if (st == OK) st = decoder_run_backward(r, t->arena, y->grad, g);
    if (st == OK && r->attend) st = attend_finish(r->attend, g->d_keys, NULL);
    arena_release(t->arena, mark);
    return st;
}

static void backward(Tape *t, Node *y)
{
    DecoderGradients g = {.x = y->in[0]->value, .dx = node_grad(t, y->in[0])};
    if (y->n_in > 1) g.d_keys = node_grad(t, y->in[1]);
    if (!node_grad(t, y)) return; /* only a penalty came back */
    const Status st = backward_run(t, y, &g);
    if (st != OK) tape_fail(t, st);
}

static const OpDef def = {"decoder", backward};

/* The decoder's backward takes it from there. */
static void penalty_backward(Tape *t, Node *y)
{
    (void)t;
    ((DecoderRun *)y->in[0]->data)->d_penalty += y->grad[0];
    y->in[0]->owes = true;
}

static const OpDef penalty_def = {"decoder_penalty", penalty_backward};

static Node *penalty_node(Tape *t, Node *y)
{
    const DecoderRun *r = y->data;
    bool ok;
    Node *n = tape_node(t, &penalty_def, SHAPE1(1), 1, &y, &ok);
    if (ok) n->value[0] = (real)attend_penalty(r->attend);
    return n;
}

static void gather_rows(const DecoderRun *r, const Node *from, real *to, int64_t ld)
{
    const int64_t h = r->decoder->settings.hidden;
    kernels()->gather(r->n, h, from->value, h, r->order, to, ld);
}

static Status draw_masks(DecoderRun *r, Tape *t)
{
    const double p = r->decoder->settings.recurrent_dropout;
    const real keep = (real)(1 / (1 - p));
    const int64_t h = r->decoder->settings.hidden;
    for (int64_t l = 0; t->train && p > 0 && l < r->decoder->settings.layers; l++) {
        const RandomKey key = tape_random(t, RANDOM_DROPOUT);
        TRY_NEW(r->cell[l].mask, t->arena, r->n * h);
        for (int64_t i = 0; i < r->n; i++)
            for (int64_t j = 0; j < h; j++)
                r->cell[l].mask[i * h + j] = random_uniform(key, r->row_key[r->order[i]], (uint64_t)j) < p ? 0 : keep;
    }
    return OK;
}

static Status draw_dropout(DecoderRun *r, Tape *t)
{
    const DecoderSettings *s = &r->decoder->settings;
    const bool drops = t->train && s->dropout > 0 && s->layers > 1;
    REQUIRE(!t->train || (s->dropout == 0 && s->recurrent_dropout == 0) || r->row_key, ERR_INTERNAL,
            "dropout without keys");
    r->drop_threshold = (uint32_t)lrint(s->dropout * 65536); /* as in op/dropout.c */
    if (!drops || r->drop_threshold == 0) return OK;
    r->drop_scale = (real)(65536.0 / (65536.0 - r->drop_threshold));
    TRY_NEW(r->drop, t->arena, s->layers);
    for (int64_t l = 1; l < s->layers; l++) r->drop[l] = tape_random(t, RANDOM_DROPOUT);
    return OK;
}

/* States before the first step, in the order of the rows; as inputs of U they are masked. */
static void begin_cells(DecoderRun *r)
{
    const int64_t h = r->decoder->settings.hidden;
    for (int64_t l = 0; l < r->decoder->settings.layers; l++) {
        DecoderCellRun *c = &r->cell[l];
        const RnnLast *from = &r->begin->layer[l];
        gather_rows(r, from->state, c->first_state, h);
        if (from->cell) gather_rows(r, from->cell, c->first_record, c->def->columns * h);
        if (c->mask)
            kernels()->multiply((r->steps ? r->start[1] : 0) * h, c->first_state, c->mask, c->before);
        else if (r->steps)
            memcpy(c->before, c->first_state, (size_t)(r->start[1] * h) * sizeof(real));
    }
    if (r->feed && r->steps) memset(r->feed, 0, (size_t)(r->start[1] * h) * sizeof(real));
}

static Status run_steps(DecoderRun *r, Arena *scratch, const real *x)
{
    const DecoderCellRun *first = &r->cell[0];
    const int64_t gates = first->def->gates * first->h;
    real *projected;
    const real **row;
    TRY(decoder_run_pack(r, scratch));
    projected = arena_alloc(scratch, (size_t)(r->rows * gates) * sizeof *projected);
    if (!projected) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    TRY_NEW(row, scratch, r->n);
    decoder_run_project(r, r->rows, x, projected);
    for (int64_t t = 0; t < r->steps; t++) {
        const DecoderRows s = decoder_run_rows(r, t);
        for (int64_t i = 0; i < s.rows; i++) {
            const int32_t p = r->position[s.slot + i];
            row[i] = projected + (r->index ? r->index[p] : p) * gates;
        }
        decoder_run_step(r, &s, row);
    }
    return OK;
}

/* From slots to positions: [s ; c], s or s~. */
static void result(const DecoderRun *r, real *y)
{
    const int64_t h = r->decoder->settings.hidden, c = r->decoder->context, width = decoder_width(r->decoder);
    const DecoderCellRun *top = &r->cell[r->decoder->settings.layers - 1];
    kernels()->gather(r->slots, h, r->out ? r->out : top->state, r->out ? h : top->ld_state, r->slot, y, width);
    if (width > h) kernels()->gather(r->slots, c, r->context, r->ld_context, r->slot, y + h, width);
}

static Status run_all(DecoderRun *r, Tape *t, const Node *x, const Node *states, Node *y)
{
    TRY(draw_dropout(r, t));
    TRY(decoder_run_plan(r, t->arena));
    TRY(decoder_run_open(r, t->arena, r->slots, r->n));
    TRY(draw_masks(r, t));
    if (states) TRY(decoder_attend_open(r, t, states, t->train, true));
    begin_cells(r);
    const ArenaMark mark = arena_mark(t->arena);
    const Status st = run_steps(r, t->arena, x->value);
    arena_release(t->arena, mark);
    if (st == OK) result(r, y->value);
    return st;
}

static Status check_input(const Decoder *d, const Node *x, const int32_t *index, int64_t positions)
{
    REQUIRE(x->shape.n == 2 && x->shape.d[1] == d->settings.input && (index || x->shape.d[0] == positions),
            ERR_INTERNAL, "a decoder of %lld inputs got %lld rows of %lld for %lld positions",
            (long long)d->settings.input, (long long)x->shape.d[0], (long long)x->shape.d[x->shape.n - 1],
            (long long)positions);
    return OK;
}

DecoderOut decoder_forward(const Decoder *d, Tape *t, Node *x, const int32_t *index, Segments seq,
                           const DecoderStart *start)
{
    const int64_t positions = seq.n ? seq.offset[seq.n] : 0;
    if (t->status == OK) tape_fail(t, check_input(d, x, index, positions));
    bool ok;
    Node *y = tape_node(t, &def, SHAPE2(positions, decoder_width(d)), start->states ? 2 : 1,
                        (Node *[]){x, start->states}, &ok);
    DecoderRun *r = ok ? tape_alloc(t, sizeof *r) : NULL;
    DecoderStart *begin = r ? tape_alloc(t, sizeof *begin) : NULL;
    if (!begin) return (DecoderOut){y, NULL};
    *begin = *start;
    *r = (DecoderRun){.decoder = d,
                      .seq = seq,
                      .keys = start->keys,
                      .n = seq.n,
                      .slots = positions,
                      .row_key = start->row_key,
                      .temperature = start->temperature,
                      .rows = x->shape.d[0],
                      .index = index,
                      .begin = begin};
    y->data = r;
    y->needs_grad = true; /* there are parameters */
    const Status st = run_all(r, t, x, start->states, y);
    if (st != OK) tape_fail(t, st);
    const bool adds = st == OK && r->attend && t->train;
    return (DecoderOut){y, adds ? penalty_node(t, y) : NULL};
}
