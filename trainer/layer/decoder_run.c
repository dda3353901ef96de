/* decoder_run.c - the order of the rows, memory, and one step forward. */
#include "trainer/layer/decoder_run.h"

#include <string.h>

#include "trainer/op/op.h"

static int64_t length(const DecoderRun *r, int64_t i) { return r->seq.offset[i + 1] - r->seq.offset[i]; }

/* Longest first, equal ones in their own order: a counting sort by length. */
Status decoder_run_plan(DecoderRun *r, Arena *arena)
{
    for (int64_t i = 0; i < r->n; i++)
        if (length(r, i) > r->steps) r->steps = length(r, i);
    int64_t *end; /* end[l]: sequences of l words or more; then where the next sequence of l words goes, from behind */
    TRY_NEW(r->order, arena, r->n);
    TRY_NEW(r->start, arena, r->steps + 1);
    TRY_NEW(r->position, arena, r->slots);
    TRY_NEW(r->slot, arena, r->slots);
    TRY_NEW(end, arena, r->steps + 1);
    for (int64_t i = 0; i < r->n; i++) end[length(r, i)]++;
    for (int64_t l = r->steps; l > 0; l--) end[l - 1] += end[l];
    for (int64_t t = 0; t < r->steps; t++) r->start[t + 1] = r->start[t] + end[t + 1];
    for (int64_t i = r->n - 1; i >= 0; i--) r->order[--end[length(r, i)]] = (int32_t)i;
    for (int64_t t = 0; t < r->steps; t++)
        for (int64_t s = r->start[t]; s < r->start[t + 1]; s++) {
            const int64_t p = r->seq.offset[r->order[s - r->start[t]]] + t;
            r->position[s] = (int32_t)p;
            r->slot[p] = (int32_t)s;
        }
    r->sentence = r->order;
    return OK;
}

static real *reals(Arena *arena, int64_t rows, int64_t columns)
{
    return arena_alloc(arena, (size_t)(rows * columns) * sizeof(real));
}

static Status open_cells(DecoderRun *r, Arena *arena, int64_t slots, int64_t rows)
{
    const Decoder *d = r->decoder;
    const DecoderSettings *s = &d->settings;
    TRY_NEW(r->cell, arena, s->layers);
    for (int64_t l = 0; l < s->layers; l++) {
        DecoderCellRun *c = &r->cell[l];
        c->cell = &d->cell[l];
        c->def = rnn_cell_def(s->cell);
        c->h = s->hidden;
        real *state = r->both && l == s->layers - 1 ? r->both + d->context : NULL;
        TRY(decoder_cell_open(c, arena, slots, rows, state, d->context + s->hidden));
        if (l == 0) continue;
        c->x = r->cell[l - 1].state;
        c->ld_x = r->cell[l - 1].ld_state;
        if (!r->drop) continue;
        c->x = reals(arena, slots, s->hidden);
        c->ld_x = s->hidden;
        c->stays = arena_alloc(arena, (size_t)(slots * s->hidden));
        if (!c->x || !c->stays) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    }
    return OK;
}

Status decoder_run_open(DecoderRun *r, Arena *arena, int64_t slots, int64_t rows)
{
    const Decoder *d = r->decoder;
    const int64_t h = d->settings.hidden, c = d->context;
    bool there = true;
    if (d->settings.apply == DECODER_BETWEEN) {
        there = (r->context = reals(arena, slots, c)) != NULL;
        r->ld_context = c;
    } else if (d->settings.apply == DECODER_AFTER) {
        r->context = r->both = reals(arena, slots, c + h);
        r->ld_context = c + h;
        r->out = reals(arena, slots, h);
        there = r->both && r->out;
        if (d->settings.input_feeding) there = (r->feed = reals(arena, slots, h)) && there;
    }
    return there ? open_cells(r, arena, slots, rows) : status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
}

Status decoder_run_pack(DecoderRun *r, Arena *scratch)
{
    const Decoder *d = r->decoder;
    const int64_t h = d->settings.hidden;
    for (int64_t l = 0; l < d->settings.layers; l++)
        TRY(decoder_cell_pack(&r->cell[l], scratch, d->settings.forget_bias));
    return d->combine ? panel_pack(&r->combine, scratch, d->combine->value, false, d->context + h, h) : OK;
}

void decoder_run_project(const DecoderRun *r, int64_t n, const real *x, real *y)
{
    const DecoderCellRun *c = &r->cell[0];
    panel_gemm_bias(n, x, c->cell->input, &c->w, c->bias, y, c->def->gates * c->h);
}

DecoderRows decoder_run_rows(const DecoderRun *r, int64_t t)
{
    return (DecoderRows){.step = t,
                         .rows = r->start[t + 1] - r->start[t],
                         .slot = r->start[t],
                         .slot_before = t > 0 ? r->start[t - 1] : -1,
                         .next_slot = r->start[t + 1],
                         .next_rows = t + 1 < r->steps ? r->start[t + 2] - r->start[t + 1] : 0};
}

/* In the first layer: the projection of the embedding and, times its part of W, what enters beside it. */
static void first_input(const DecoderRun *r, const DecoderRows *s, const real *const *projection)
{
    const DecoderCellRun *c = &r->cell[0];
    const int64_t gates = c->def->gates * c->h;
    if (!c->cell->extra) {
        memcpy(c->input, projection, (size_t)s->rows * sizeof *projection);
        return;
    }
    for (int64_t i = 0; i < s->rows; i++) {
        c->input[i] = c->projected + i * gates;
        memcpy(c->projected + i * gates, projection[i], (size_t)gates * sizeof(real));
    }
    const bool feeds = r->feed != NULL;
    const int64_t ld = feeds ? c->cell->extra : r->ld_context;
    panel_gemm(s->rows, (feeds ? r->feed : r->context) + s->slot * ld, ld, &c->extra, 1, c->projected, gates);
}

/* In a layer above: the states below, some of their units dropped. */
static void upper_input(const DecoderRun *r, const DecoderRows *s, int64_t l)
{
    const DecoderCellRun *c = &r->cell[l], *below = &r->cell[l - 1];
    const int64_t h = c->h, gates = c->def->gates * h;
    for (int64_t i = 0; r->drop && i < s->rows; i++) {
        uint8_t *stays = c->stays + (s->slot + i) * h;
        const uint64_t key = op_row_key((int64_t)r->row_key[r->sentence[i]], s->step);
        kernels()->dropout_draw(r->drop[l], key, h, r->drop_threshold, stays);
        kernels()->dropout_apply(h, stays, r->drop_scale, below->state + (s->slot + i) * below->ld_state,
                                 (real *)(uintptr_t)c->x + (s->slot + i) * h);
    }
    panel_gemm_bias(s->rows, c->x + s->slot * c->ld_x, c->ld_x, &c->w, c->bias, c->projected, gates);
    for (int64_t i = 0; i < s->rows; i++) c->input[i] = c->projected + i * gates;
}

/* s~ = tanh(W_c [c ; s]) */
static void combine(const DecoderRun *r, const DecoderRows *s)
{
    const int64_t h = r->decoder->settings.hidden;
    real *out = r->out + s->slot * h;
    panel_gemm(s->rows, r->both + s->slot * r->ld_context, r->ld_context, &r->combine, 0, out, h);
    kernels()->tanh(s->rows * h, out, out);
    if (r->feed) memcpy(r->feed + s->next_slot * h, out, (size_t)(s->next_rows * h) * sizeof(real));
}

void decoder_run_step(const DecoderRun *r, const DecoderRows *s, const real *const *projection)
{
    const DecoderSettings *set = &r->decoder->settings;
    if (set->apply == DECODER_BETWEEN) decoder_attend_forward(r, s);
    first_input(r, s, projection);
    for (int64_t l = 0; l < set->layers; l++) {
        if (l > 0) upper_input(r, s, l);
        decoder_cell_forward(&r->cell[l], s);
    }
    if (set->apply != DECODER_AFTER) return;
    decoder_attend_forward(r, s);
    combine(r, s);
}

void decoder_run_result(const DecoderRun *r, int64_t slot, const real **state, const real **context)
{
    const DecoderCellRun *top = &r->cell[r->decoder->settings.layers - 1];
    *state = r->out ? r->out + slot * top->h : top->state + slot * top->ld_state;
    *context = r->decoder->settings.apply == DECODER_BETWEEN ? r->context + slot * r->ld_context : NULL;
}
