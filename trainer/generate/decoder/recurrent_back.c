/* recurrent_back.c - the steps back in time, then the gradients of the weights as one product over all steps each. */
#include <string.h>

#include "trainer/core/blas.h"
#include "trainer/generate/decoder/recurrent_run.h"

/* x and dx (U,E), dx NULL: not wanted. Adds to the gradients of the parameters, of dx, of
 * d_state[l] and d_second[l] (n,H) of what was there before (NULL: not wanted) and of d_keys. */
typedef struct RecurrentGradients {
    const real *x;
    real *dx, *d_keys;
    real *const *d_state, *const *d_second;
} RecurrentGradients;

typedef struct Work {
    real *d_out;     /* (slots, width) of the results; with apply after then of the sums behind s~ */
    real *d_feed;    /* (n,H) of what is fed back */
    real *d_both;    /* (n, C + H) */
    real *d_context; /* (n,C) apply between */
    real *d_x;       /* (n,H) of the input of a layer above the first */
    real *zeros;     /* (n,H) of new states that are in no result */
} Work;

/* d_context (rows, C), ld_context apart; adds to d_query (rows,H), ld_query apart. */
static void attend_back(const RecurrentRun *r, const RecurrentRows *s, const real *d_context, int64_t ld_context,
                        real *d_query, int64_t ld_query)
{
    const AttendBlock step = recurrent_attend_step(r, s);
    attend_backward(r->attend, &step, d_context, ld_context, d_query, ld_query);
}

static Status prepare(RecurrentRun *r, Arena *scratch, const real *d_y, Work *w)
{
    const Recurrent *d = r->decoder;
    const int64_t h = d->settings.hidden, width = recurrent_width(d);
    *w = (Work){0};
    for (int64_t l = 0; l < d->settings.layers; l++) TRY(recurrent_cell_pack_back(&r->cell[l], scratch, r->n));
    if (d->combine) TRY(panel_pack(&r->combine_back, scratch, d->combine->value, true, h, d->context + h));
    TRY_NEW(w->d_feed, scratch, r->feed ? r->n * h : 0);
    TRY_NEW(w->d_both, scratch, r->both ? r->n * r->ld_context : 0);
    TRY_NEW(w->d_context, scratch, r->both ? 0 : r->n * d->context);
    TRY_NEW(w->d_x, scratch, r->n * h);
    TRY_NEW(w->zeros, scratch, d->results_before ? r->n * h : 0);
    w->d_out = arena_alloc(scratch, (size_t)(r->slots * width) * sizeof(real));
    if (!w->d_out) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    kernels()->gather(r->slots, width, d_y, width, r->position, w->d_out, width);
    return OK;
}

/* Through s~ = tanh(W_c [c ; s]) and the attention; the gradient of the new states stands behind that of the contexts.
 */
static void combine_back(const RecurrentRun *r, const RecurrentRows *s, const Work *w)
{
    const int64_t h = r->decoder->settings.hidden, c = r->decoder->context;
    real *d = w->d_out + s->slot * h;
    const real *out = r->out + s->slot * h;
    if (r->feed) kernels()->add(s->rows * h, w->d_feed, d);
    for (int64_t i = 0; i < s->rows * h; i++) d[i] *= 1 - out[i] * out[i];
    panel_gemm(s->rows, d, h, &r->combine_back, 0, w->d_both, c + h);
    attend_back(r, s, w->d_both, c + h, w->d_both + c, c + h);
}

/* To the input of layer l, some of whose units were dropped. */
static void input_back(const RecurrentRun *r, const RecurrentRows *s, int64_t l, const Work *w)
{
    const RecurrentCellRun *c = &r->cell[l];
    const int64_t h = c->h;
    int64_t ld;
    const real *gates = recurrent_cell_gates(c, s->slot, &ld);
    panel_gemm(s->rows, gates, ld, &c->w_back, 0, w->d_x, h);
    if (r->drop) kernels()->dropout_apply(s->rows * h, c->stays + s->slot * h, r->drop_scale, w->d_x, w->d_x);
}

/* To what entered beside the embedding: the result before, or the context and through it the state before. */
static void extra_back(const RecurrentRun *r, const RecurrentRows *s, const Work *w)
{
    const RecurrentCellRun *c = &r->cell[0], *top = &r->cell[r->decoder->settings.layers - 1];
    int64_t ld;
    if (!c->cell->extra) return;
    const real *gates = recurrent_cell_gates(c, s->slot, &ld);
    if (r->feed) {
        panel_gemm(s->rows, gates, ld, &c->extra_back, 0, w->d_feed, c->h);
        return;
    }
    panel_gemm(s->rows, gates, ld, &c->extra_back, 1, w->d_context, c->cell->extra);
    attend_back(r, s, w->d_context, c->cell->extra, top->carry, top->h);
}

static void step_back(const RecurrentRun *r, const RecurrentRows *s, const Work *w)
{
    const Recurrent *d = r->decoder;
    const int64_t h = d->settings.hidden, width = recurrent_width(d);
    const real *d_out = w->d_out + s->slot * width, *d_state = d_out;
    int64_t ld = width;
    if (d->results_before) {
        d_state = w->zeros;
        ld = h;
    }
    if (r->both) {
        combine_back(r, s, w);
        d_state = w->d_both + d->context;
        ld = r->ld_context;
    }
    for (int64_t i = 0; d->apply == RECURRENT_BETWEEN && i < s->rows; i++)
        memcpy(w->d_context + i * d->context, d_out + i * width + h, (size_t)d->context * sizeof(real));
    for (int64_t l = d->settings.layers - 1; l >= 0; l--) {
        recurrent_cell_backward(&r->cell[l], s, d_state, ld);
        if (l == 0) break;
        input_back(r, s, l, w);
        d_state = w->d_x;
        ld = h;
    }
    const RecurrentCellRun *top = &r->cell[d->settings.layers - 1];
    for (int64_t i = 0; d->results_before && i < s->rows; i++) kernels()->add(h, d_out + i * width, top->carry + i * h);
    extra_back(r, s, w);
}

/* Of the embeddings and their part of W: the gradients of the gates summed by row of x first. */
static Status embedding_gradients(const RecurrentRun *r, Arena *scratch, const RecurrentGradients *g)
{
    const RecurrentCellRun *c = &r->cell[0];
    const int64_t gates = c->kind->def->gates * c->h;
    real *sums;
    int32_t *row;
    int64_t ld;
    TRY_NEW(sums, scratch, r->rows * gates);
    TRY_NEW(row, scratch, r->slots);
    for (int64_t s = 0; s < r->slots; s++) row[s] = r->index ? r->index[r->position[s]] : r->position[s];
    const real *d = recurrent_cell_gates(c, 0, &ld);
    kernels()->scatter_add(r->slots, gates, d, ld, row, sums, gates);
    if (c->cell->of.w->grad && r->rows > 0)
        blas_gemm(true, false, c->cell->input, gates, r->rows, 1, g->x, c->cell->input, sums, gates, 1,
                  c->cell->of.w->grad, gates);
    if (g->dx) panel_gemm(r->rows, sums, gates, &c->w_back, 1, g->dx, c->cell->input);
    return OK;
}

static Status weight_gradients(const RecurrentRun *r, Arena *scratch, const RecurrentGradients *g, const Work *w)
{
    const Recurrent *d = r->decoder;
    const int64_t h = d->settings.hidden;
    for (int64_t l = 0; l < d->settings.layers; l++) {
        const RecurrentCellRun *c = &r->cell[l];
        TRY(recurrent_cell_gradients(c, scratch, r->slots));
        if (l > 0) recurrent_cell_input_gradients(c, r->slots, c->x, c->ld_x, 0, h);
    }
    const RecurrentCellRun *first = &r->cell[0];
    if (first->cell->extra)
        recurrent_cell_input_gradients(first, r->slots, r->feed ? r->feed : r->context, r->feed ? h : r->ld_context,
                                       first->cell->input, first->cell->extra);
    if (d->combine && d->combine->grad && r->slots > 0)
        blas_gemm(true, false, d->context + h, h, r->slots, 1, r->both, r->ld_context, w->d_out, h, 1, d->combine->grad,
                  h);
    return embedding_gradients(r, scratch, g);
}

/* What is left of the carried gradients belongs to what was there before the first step. */
static void start_gradients(const RecurrentRun *r, const RecurrentGradients *g)
{
    const int64_t h = r->decoder->settings.hidden;
    for (int64_t l = 0; l < r->decoder->settings.layers; l++)
        for (int64_t i = 0; i < r->n; i++) {
            if (g->d_state[l]) kernels()->add(h, r->cell[l].carry + i * h, g->d_state[l] + r->order[i] * h);
            if (g->d_second[l]) kernels()->add(h, r->cell[l].d_second + i * h, g->d_second[l] + r->order[i] * h);
        }
}

/* d_y (positions, width) */
static Status run_backward(RecurrentRun *r, Arena *scratch, const real *d_y, const RecurrentGradients *g)
{
    REQUIRE(!r->spent, ERR_INTERNAL, "a decoder went back twice over one pass");
    r->spent = true;
    Work w;
    TRY(prepare(r, scratch, d_y, &w));
    for (int64_t t = r->steps - 1; t >= 0; t--) {
        const RecurrentRows s = recurrent_rows(r, t);
        step_back(r, &s, &w);
    }
    start_gradients(r, g);
    return weight_gradients(r, scratch, g, &w);
}

static Status begin_attention_back(RecurrentRun *r, Arena *scratch)
{
    Param *baseline = r->loss ? r->decoder->baseline : NULL;
    real *reward = NULL;
    if (baseline) TRY_NEW(reward, scratch, r->slots);
    const bool lasts = r->decoder->apply == RECURRENT_BETWEEN || r->decoder->feeds;
    for (int64_t i = 0; baseline && i < r->n; i++) {
        double earned = 0;
        for (int64_t p = r->seq.offset[i + 1] - 1; p >= r->seq.offset[i]; p--) {
            earned = (lasts ? earned : 0) - (double)(r->loss[p] + baseline->value[0]);
            reward[r->slot[p]] = (real)earned;
            baseline->grad[0] -= r->loss[p];
        }
    }
    attend_begin_backward(r->attend, r->d_penalty, reward);
    return OK;
}

/* Where the gradients of what was before the first step go. */
static Status start_nodes(const RecurrentRun *r, Tape *t, real ***state, real ***second)
{
    const int64_t layers = r->decoder->settings.layers;
    TRY_NEW(*state, t->arena, layers);
    TRY_NEW(*second, t->arena, layers);
    for (int64_t l = 0; l < layers; l++) {
        (*state)[l] = node_grad(t, r->begin[l].state);
        if (r->begin[l].second) (*second)[l] = node_grad(t, r->begin[l].second);
    }
    return OK;
}

static Status backward_run(Tape *t, Node *y, RecurrentGradients *g)
{
    RecurrentRun *r = y->data;
    real **state, **second;
    TRY(start_nodes(r, t, &state, &second));
    g->d_state = state;
    g->d_second = second;
    TRY(tape_status(t));
    const ArenaMark mark = arena_mark(t->arena);
    Status st = r->attend ? begin_attention_back(r, t->arena) : OK;
    if (st == OK) st = run_backward(r, t->arena, y->grad, g);
    if (st == OK && r->attend) st = attend_finish(r->attend, g->d_keys, NULL);
    arena_release(t->arena, mark);
    return st;
}

void recurrent_backward(Tape *t, Node *y)
{
    RecurrentGradients g = {.x = y->in[0]->value, .dx = node_grad(t, y->in[0])};
    if (y->n_in > 1) g.d_keys = node_grad(t, y->in[1]);
    if (!node_grad(t, y)) return; /* only a penalty came back */
    const Status st = backward_run(t, y, &g);
    if (st != OK) tape_fail(t, st);
}
