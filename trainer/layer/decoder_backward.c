/* decoder_backward.c - the steps back in time, then the gradients of the weights as one product over all steps each. */
#include <string.h>

#include "trainer/core/blas.h"
#include "trainer/layer/decoder_run.h"

typedef struct Work {
    real *d_out;     /* (slots, width) of the results; with apply after then of the sums behind s~ */
    real *d_feed;    /* (n,H) of what is fed back */
    real *d_both;    /* (n, C + H) */
    real *d_context; /* (n,C) apply between */
    real *d_x;       /* (n,H) of the input of a layer above the first */
} Work;

static Status prepare(DecoderRun *r, Arena *scratch, const real *d_y, Work *w)
{
    const Decoder *d = r->decoder;
    const int64_t h = d->settings.hidden, width = decoder_width(d);
    *w = (Work){0};
    for (int64_t l = 0; l < d->settings.layers; l++) TRY(decoder_cell_pack_back(&r->cell[l], scratch, r->n));
    if (d->combine) TRY(panel_pack(&r->combine_back, scratch, d->combine->value, true, h, d->context + h));
    TRY_NEW(w->d_feed, scratch, r->feed ? r->n * h : 0);
    TRY_NEW(w->d_both, scratch, r->both ? r->n * r->ld_context : 0);
    TRY_NEW(w->d_context, scratch, r->both ? 0 : r->n * d->context);
    TRY_NEW(w->d_x, scratch, r->n * h);
    w->d_out = arena_alloc(scratch, (size_t)(r->slots * width) * sizeof(real));
    if (!w->d_out) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    kernels()->gather(r->slots, width, d_y, width, r->position, w->d_out, width);
    return OK;
}

/* Through s~ = tanh(W_c [c ; s]) and the attention; the gradient of the new states stands behind that of the contexts.
 */
static void combine_back(const DecoderRun *r, const DecoderRows *s, const Work *w)
{
    const int64_t h = r->decoder->settings.hidden, c = r->decoder->context;
    real *d = w->d_out + s->slot * h;
    const real *out = r->out + s->slot * h;
    if (r->feed) kernels()->add(s->rows * h, w->d_feed, d);
    for (int64_t i = 0; i < s->rows * h; i++) d[i] *= 1 - out[i] * out[i];
    panel_gemm(s->rows, d, h, &r->combine_back, 0, w->d_both, c + h);
    decoder_attend_backward(r, s, w->d_both, c + h, w->d_both + c, c + h);
}

/* To the input of layer l, some of whose units were dropped. */
static void input_back(const DecoderRun *r, const DecoderRows *s, int64_t l, const Work *w)
{
    const DecoderCellRun *c = &r->cell[l];
    const int64_t h = c->h;
    int64_t ld;
    const real *gates = decoder_cell_gates(c, s->slot, &ld);
    panel_gemm(s->rows, gates, ld, &c->w_back, 0, w->d_x, h);
    if (r->drop) kernels()->dropout_apply(s->rows * h, c->stays + s->slot * h, r->drop_scale, w->d_x, w->d_x);
}

/* To what entered beside the embedding: the result before, or the context and through it the state before. */
static void extra_back(const DecoderRun *r, const DecoderRows *s, const Work *w)
{
    const DecoderCellRun *c = &r->cell[0], *top = &r->cell[r->decoder->settings.layers - 1];
    int64_t ld;
    if (!c->cell->extra) return;
    const real *gates = decoder_cell_gates(c, s->slot, &ld);
    if (r->feed) {
        panel_gemm(s->rows, gates, ld, &c->extra_back, 0, w->d_feed, c->h);
        return;
    }
    panel_gemm(s->rows, gates, ld, &c->extra_back, 1, w->d_context, c->cell->extra);
    decoder_attend_backward(r, s, w->d_context, c->cell->extra, top->carry, top->h);
}

static void step_back(const DecoderRun *r, const DecoderRows *s, const Work *w)
{
    const Decoder *d = r->decoder;
    const int64_t h = d->settings.hidden, width = decoder_width(d);
    const real *d_state = w->d_out + s->slot * width;
    int64_t ld = width;
    if (r->both) {
        combine_back(r, s, w);
        d_state = w->d_both + d->context;
        ld = r->ld_context;
    }
    for (int64_t i = 0; d->settings.apply == DECODER_BETWEEN && i < s->rows; i++)
        memcpy(w->d_context + i * d->context, d_state + i * width + h, (size_t)d->context * sizeof(real));
    for (int64_t l = d->settings.layers - 1; l >= 0; l--) {
        decoder_cell_backward(&r->cell[l], s, d_state, ld);
        if (l == 0) break;
        input_back(r, s, l, w);
        d_state = w->d_x;
        ld = h;
    }
    extra_back(r, s, w);
}

/* Of the embeddings and their part of W: the gradients of the gates summed by row of x first. */
static Status embedding_gradients(const DecoderRun *r, Arena *scratch, const DecoderGradients *g)
{
    const DecoderCellRun *c = &r->cell[0];
    const int64_t gates = c->def->gates * c->h;
    real *sums;
    int32_t *row;
    int64_t ld;
    TRY_NEW(sums, scratch, r->rows * gates);
    TRY_NEW(row, scratch, r->slots);
    for (int64_t s = 0; s < r->slots; s++) row[s] = r->index ? r->index[r->position[s]] : r->position[s];
    const real *d = decoder_cell_gates(c, 0, &ld);
    kernels()->scatter_add(r->slots, gates, d, ld, row, sums, gates);
    if (c->cell->w->grad && r->rows > 0)
        blas_gemm(true, false, c->cell->input, gates, r->rows, 1, g->x, c->cell->input, sums, gates, 1,
                  c->cell->w->grad, gates);
    if (g->dx) panel_gemm(r->rows, sums, gates, &c->w_back, 1, g->dx, c->cell->input);
    return OK;
}

static Status weight_gradients(const DecoderRun *r, Arena *scratch, const DecoderGradients *g, const Work *w)
{
    const Decoder *d = r->decoder;
    const int64_t h = d->settings.hidden;
    for (int64_t l = 0; l < d->settings.layers; l++) {
        const DecoderCellRun *c = &r->cell[l];
        TRY(decoder_cell_recurrent_gradients(c, scratch, r->slots));
        if (l > 0) decoder_cell_input_gradients(c, r->slots, c->x, c->ld_x, 0, h);
    }
    const DecoderCellRun *first = &r->cell[0];
    if (first->cell->extra)
        decoder_cell_input_gradients(first, r->slots, r->feed ? r->feed : r->context, r->feed ? h : r->ld_context,
                                     first->cell->input, first->cell->extra);
    if (d->combine && d->combine->grad && r->slots > 0)
        blas_gemm(true, false, d->context + h, h, r->slots, 1, r->both, r->ld_context, w->d_out, h, 1, d->combine->grad,
                  h);
    return embedding_gradients(r, scratch, g);
}

/* What is left of the carried gradients belongs to what was there before the first step. */
static void start_gradients(const DecoderRun *r, const DecoderGradients *g)
{
    const int64_t h = r->decoder->settings.hidden;
    for (int64_t l = 0; l < r->decoder->settings.layers; l++)
        for (int64_t i = 0; i < r->n; i++) {
            if (g->d_state[l]) kernels()->add(h, r->cell[l].carry + i * h, g->d_state[l] + r->order[i] * h);
            if (g->d_cell[l]) kernels()->add(h, r->cell[l].d_cell + i * h, g->d_cell[l] + r->order[i] * h);
        }
}

Status decoder_run_backward(DecoderRun *r, Arena *scratch, const real *d_y, const DecoderGradients *g)
{
    REQUIRE(!r->spent, ERR_INTERNAL, "a decoder went back twice over one pass");
    r->spent = true;
    Work w;
    TRY(prepare(r, scratch, d_y, &w));
    for (int64_t t = r->steps - 1; t >= 0; t--) {
        const DecoderRows s = decoder_run_rows(r, t);
        step_back(r, &s, &w);
    }
    start_gradients(r, g);
    return weight_gradients(r, scratch, g, &w);
}
