/* decoder_cell.c - steps of one recurrent layer forward and back, by the kernels of recurrent layers. */
#include "trainer/layer/decoder_cell.h"

#include <math.h>
#include <string.h>

#include "trainer/core/blas.h"

static Status add(Param **out, Params *ps, const char *path, const char *name, Shape shape, ParamInit init,
                  double scale, const char *meaning, const char *gates)
{
    const char *full = arena_format(ps->arena, "%s/%s", path, name);
    const char *text = arena_format(ps->arena, meaning, gates);
    if (!full || !text) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    TRY(param_add(out, ps, full, shape, init, scale));
    (*out)->meaning = text;
    return OK;
}

Status decoder_cell_build(DecoderCell *c, Params *ps, const char *path, RnnCell cell, int64_t h)
{
    const RnnCellDef *def = rnn_cell_def(cell);
    const int64_t gates = def->gates * h, inputs = c->input + c->extra;
    /* Glorot's spread is that of one gate: (inputs, H), not (inputs, G * H) */
    const double one_gate = sqrt((double)(inputs + gates) / (double)(inputs + h));
    TRY(add(&c->w, ps, path, "W", SHAPE2(inputs, gates), INIT_XAVIER, one_gate,
            "input to gates: rows are inputs, columns the gates %s", def->gates_text));
    TRY(add(&c->u, ps, path, "U", SHAPE2(h, gates), INIT_ORTHOGONAL, 1, "state before to gates: columns the gates %s",
            def->gates_text));
    return add(&c->b, ps, path, "b", SHAPE1(gates + (def->recurrent_bias >= 0 ? h : 0)), INIT_ZERO, 0,
               def->recurrent_bias >= 0 ? "bias of the gates %s, then of n's recurrent product"
                                        : "bias of the gates %s",
               def->gates_text);
}

Status decoder_cell_open(DecoderCellRun *r, Arena *arena, int64_t slots, int64_t n, real *state, int64_t ld_state)
{
    const int64_t h = r->h, width = r->def->columns * h;
    r->state = state;
    r->ld_state = state ? ld_state : h;
    r->record = arena_alloc(arena, (size_t)(slots * width) * sizeof(real));
    r->before = arena_alloc(arena, (size_t)(slots * h) * sizeof(real));
    if (!state) r->state = arena_alloc(arena, (size_t)(slots * h) * sizeof(real));
    r->first_state = arena_alloc(arena, (size_t)(n * h) * sizeof(real));
    r->first_record = arena_alloc(arena, r->def->gates == 4 ? (size_t)(n * width) * sizeof(real) : 0);
    r->input = arena_alloc(arena, (size_t)n * sizeof *r->input);
    r->projected = arena_alloc(arena, (size_t)(n * r->def->gates * h) * sizeof(real));
    const bool all = r->record && r->before && r->state && r->first_state && r->first_record && r->input;
    return all && r->projected ? OK : status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
}

Status decoder_cell_pack(DecoderCellRun *r, Arena *scratch, double forget_bias)
{
    const DecoderCell *c = r->cell;
    const int64_t h = r->h, gates = r->def->gates * h;
    TRY(panel_pack(&r->w, scratch, c->w->value, false, c->input, gates));
    if (c->extra) TRY(panel_pack(&r->extra, scratch, c->w->value + c->input * gates, false, c->extra, gates));
    TRY(panel_pack_gates(&r->u, scratch, c->u->value, h, h, r->def->gates));
    TRY_NEW(r->bias, scratch, gates);
    memcpy(r->bias, c->b->value, (size_t)gates * sizeof(real));
    for (int64_t j = 0; r->def->gates == 4 && j < h; j++) r->bias[h + j] += (real)forget_bias;
    return OK;
}

/* Rows [first, first + 64) of the step, as the kernels want them. */
static void step_rows(const DecoderCellRun *r, const DecoderRows *s, int64_t first, StepRows *k)
{
    const int64_t h = r->h, width = r->def->columns * h, left = s->rows - first, later = s->next_rows - first;
    const bool start = s->slot_before < 0;
    k->rows = left < PANEL_ROWS_MAX ? (int)left : PANEL_ROWS_MAX;
    k->next_rows = later < 0 ? 0 : later < k->rows ? (int)later : k->rows;
    k->h = h;
    k->first = false;
    k->in = r->before + (s->slot + first) * h;
    k->next = r->before + (s->next_slot + first) * h;
    k->record = r->record + (s->slot + first) * width;
    k->record_before = (start ? r->first_record : r->record + s->slot_before * width) + first * width;
    for (int i = 0; i < k->rows; i++) {
        k->state[i] = r->state + (s->slot + first + i) * r->ld_state;
        k->before[i] = start ? r->first_state + (first + i) * h : r->state + (s->slot_before + first + i) * r->ld_state;
        k->mask[i] = r->mask ? r->mask + (first + i) * h : NULL;
    }
}

void decoder_cell_forward(const DecoderCellRun *r, const DecoderRows *s)
{
    const Kernels *kernel = kernels();
    StepRows k;
    for (int64_t first = 0; first < s->rows; first += k.rows) {
        step_rows(r, s, first, &k);
        memcpy(k.input, r->input + first, (size_t)k.rows * sizeof *k.input);
        if (r->def->gates == 3)
            kernel->gru_forward(&k, &r->u, r->cell->b->value + 3 * r->h);
        else if (r->def->gates == 4)
            kernel->lstm_forward(&k, &r->u);
        else
            kernel->rnn_forward(&k, &r->u);
    }
}

/* Rows of U^T in the order of the record. */
static Status pack_recurrent(DecoderCellRun *r, Arena *scratch)
{
    const int64_t h = r->h;
    const int gates = r->def->gates;
    real *u;
    TRY_NEW(u, scratch, h * gates * h);
    for (int64_t i = 0; i < h; i++)
        for (int g = 0; g < gates; g++)
            memcpy(u + (i * gates + g) * h, r->cell->u->value + (i * gates + r->def->recurrent_gate[g]) * h,
                   (size_t)h * sizeof(real));
    return panel_pack(&r->u_back, scratch, u, true, gates * h, h);
}

Status decoder_cell_pack_back(DecoderCellRun *r, Arena *scratch, int64_t n)
{
    const DecoderCell *c = r->cell;
    const int64_t gates = r->def->gates * r->h;
    TRY(pack_recurrent(r, scratch));
    TRY(panel_pack(&r->w_back, scratch, c->w->value, true, gates, c->input));
    if (c->extra) TRY(panel_pack(&r->extra_back, scratch, c->w->value + c->input * gates, true, gates, c->extra));
    TRY_NEW(r->carry, scratch, n * r->h);
    TRY_NEW(r->d_cell, scratch, n * r->h);
    TRY_NEW(r->product, scratch, PANEL_ROWS_MAX * r->h);
    return OK;
}

/* d_carry += mask * (dA' U^T) */
static void carry_back(const DecoderCellRun *r, const StepRows *k)
{
    const int64_t h = r->h, width = r->def->columns * h;
    const real *from = k->record + r->def->recurrent * h;
    if (!r->mask) {
        panel_gemm(k->rows, from, width, &r->u_back, 1, k->d_carry, h);
        return;
    }
    panel_gemm(k->rows, from, width, &r->u_back, 0, r->product, h);
    for (int i = 0; i < k->rows; i++) kernels()->multiply(h, r->product + i * h, k->mask[i], r->product + i * h);
    kernels()->add(k->rows * h, r->product, k->d_carry);
}

void decoder_cell_backward(const DecoderCellRun *r, const DecoderRows *s, const real *d_state, int64_t ld)
{
    const Kernels *kernel = kernels();
    StepRows k;
    for (int64_t first = 0; first < s->rows; first += k.rows) {
        step_rows(r, s, first, &k);
        k.d_carry = r->carry + first * r->h;
        k.d_cell = r->d_cell + first * r->h;
        for (int i = 0; i < k.rows; i++) k.d_state[i] = d_state + (first + i) * ld;
        if (r->def->gates == 3)
            kernel->gru_backward(&k);
        else if (r->def->gates == 4)
            kernel->lstm_backward(&k);
        else
            kernel->rnn_backward(&k);
        carry_back(r, &k);
    }
}

const real *decoder_cell_gates(const DecoderCellRun *r, int64_t slot, int64_t *ld)
{
    *ld = r->def->columns * r->h;
    return r->record + slot * *ld + r->def->input * r->h;
}

/* Columns of U of consecutive gates from consecutive columns of the record. */
static void recurrent_part(const DecoderCellRun *r, int64_t slots, int column, int gate, int gates)
{
    const int64_t h = r->h, width = r->def->columns * h, all = r->def->gates * h;
    blas_gemm(true, false, h, gates * h, slots, 1, r->before, h, r->record + column * h, width, 1,
              r->cell->u->grad + gate * h, all);
}

Status decoder_cell_recurrent_gradients(const DecoderCellRun *r, Arena *scratch, int64_t slots)
{
    const RnnCellDef *def = r->def;
    const int64_t h = r->h, gates = def->gates * h, width = def->columns * h;
    real *sums, *db = r->cell->b->grad;
    TRY_NEW(sums, scratch, width);
    if (slots == 0) return OK;
    if (r->cell->u->grad && def->gates == 3) { /* q stands before r z, n's gate behind them */
        recurrent_part(r, slots, 0, 2, 1);
        recurrent_part(r, slots, 1, 0, 2);
    } else if (r->cell->u->grad) {
        recurrent_part(r, slots, def->recurrent, 0, def->gates);
    }
    kernels()->column_sums(slots, width, r->record, width, sums);
    if (db) kernels()->add(gates, sums + def->input * h, db);
    if (db && def->recurrent_bias >= 0) kernels()->add(h, sums + def->recurrent_bias * h, db + gates);
    return OK;
}

void decoder_cell_input_gradients(const DecoderCellRun *r, int64_t slots, const real *x, int64_t ldx, int64_t first,
                                  int64_t n)
{
    int64_t ld;
    const int64_t gates = r->def->gates * r->h;
    const real *d = decoder_cell_gates(r, 0, &ld);
    if (r->cell->w->grad && slots > 0)
        blas_gemm(true, false, n, gates, slots, 1, x, ldx, d, ld, 1, r->cell->w->grad + first * gates, gates);
}
