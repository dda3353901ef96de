/* recurrent_cell.c - one layer of a recurrent decoder: its steps forward and back, by the kernels of its cell. */
#include <string.h>

#include "trainer/core/blas.h"
#include "trainer/generate/decoder/recurrent_run.h"

Status recurrent_cell_build(RecurrentCell *c, Params *ps, const char *path, const Cell *kind, int64_t h)
{
    return cell_declare(kind->def, &c->of, ps, path, c->input + c->extra, h);
}

Status recurrent_cell_open(RecurrentCellRun *r, Arena *arena, int64_t slots, int64_t n, real *state, int64_t ld_state)
{
    const int64_t h = r->h, width = r->kind->def->columns * h;
    r->state = state;
    r->ld_state = state ? ld_state : h;
    r->record = arena_alloc(arena, (size_t)(slots * width) * sizeof(real));
    r->before = arena_alloc(arena, (size_t)(slots * h) * sizeof(real));
    if (!state) r->state = arena_alloc(arena, (size_t)(slots * h) * sizeof(real));
    r->first_state = arena_alloc(arena, (size_t)(n * h) * sizeof(real));
    r->first_record = arena_alloc(arena, r->kind->def->second >= 0 ? (size_t)(n * width) * sizeof(real) : 0);
    r->input = arena_alloc(arena, (size_t)n * sizeof *r->input);
    r->projected = arena_alloc(arena, (size_t)(n * r->kind->def->gates * h) * sizeof(real));
    const bool all = r->record && r->before && r->state && r->first_state && r->first_record && r->input;
    return all && r->projected ? OK : status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
}

Status recurrent_cell_pack(RecurrentCellRun *r, Arena *scratch)
{
    const RecurrentCell *c = r->cell;
    const int64_t h = r->h, gates = r->kind->def->gates * h;
    TRY(panel_pack(&r->w, scratch, c->of.w->value, false, c->input, gates));
    if (c->extra) TRY(panel_pack(&r->extra, scratch, c->of.w->value + c->input * gates, false, c->extra, gates));
    TRY(cell_pack(r->kind->def, c->of.u, h, scratch, r->u));
    TRY_NEW(r->bias, scratch, gates);
    cell_bias(r->kind, c->of.b, h, r->bias);
    return OK;
}

/* Rows [first, first + 64) of the step, as the kernels want them. */
static void step_rows(const RecurrentCellRun *r, const RecurrentRows *s, int64_t first, StepRows *k)
{
    const int64_t h = r->h, width = r->kind->def->columns * h, left = s->rows - first, later = s->next_rows - first;
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

void recurrent_cell_forward(const RecurrentCellRun *r, const RecurrentRows *s)
{
    StepRows k;
    for (int64_t first = 0; first < s->rows; first += k.rows) {
        step_rows(r, s, first, &k);
        memcpy(k.input, r->input + first, (size_t)k.rows * sizeof *k.input);
        r->kind->def->forward(&k, r->u, r->cell->of.b->value);
    }
}

Status recurrent_cell_pack_back(RecurrentCellRun *r, Arena *scratch, int64_t n)
{
    const RecurrentCell *c = r->cell;
    const int64_t gates = r->kind->def->gates * r->h;
    TRY(cell_pack_back(r->kind->def, c->of.u, r->h, scratch, r->u_back));
    TRY(panel_pack(&r->w_back, scratch, c->of.w->value, true, gates, c->input));
    if (c->extra) TRY(panel_pack(&r->extra_back, scratch, c->of.w->value + c->input * gates, true, gates, c->extra));
    TRY_NEW(r->carry, scratch, n * r->h);
    TRY_NEW(r->d_second, scratch, n * r->h);
    TRY_NEW(r->product, scratch, PANEL_ROWS_MAX * r->h);
    return OK;
}

void recurrent_cell_backward(const RecurrentCellRun *r, const RecurrentRows *s, const real *d_state, int64_t ld)
{
    StepRows k;
    for (int64_t first = 0; first < s->rows; first += k.rows) {
        step_rows(r, s, first, &k);
        k.d_carry = r->carry + first * r->h;
        k.d_cell = r->d_second + first * r->h;
        for (int i = 0; i < k.rows; i++) k.d_state[i] = d_state + (first + i) * ld;
        r->kind->def->backward(&k);
        cell_carry(r->kind->def, &k, r->u_back, r->product);
    }
}

const real *recurrent_cell_gates(const RecurrentCellRun *r, int64_t slot, int64_t *ld)
{
    *ld = r->kind->def->columns * r->h;
    return r->record + slot * *ld + r->kind->def->input * r->h;
}

Status recurrent_cell_gradients(const RecurrentCellRun *r, Arena *scratch, int64_t slots)
{
    const CellDef *def = r->kind->def;
    const int64_t h = r->h, gates = def->gates * h, width = def->columns * h;
    real *sums, *db = r->cell->of.b->grad;
    TRY_NEW(sums, scratch, width);
    if (slots == 0) return OK;
    if (r->cell->of.u->grad)
        cell_recurrent_gradients(def, slots, h, r->before, r->record, def->recurrent_gate, r->cell->of.u->grad);
    kernels()->column_sums(slots, width, r->record, width, sums);
    if (db) kernels()->add(gates, sums + def->input * h, db);
    if (db && def->recurrent_bias >= 0) kernels()->add(h, sums + def->recurrent_bias * h, db + gates);
    return OK;
}

void recurrent_cell_input_gradients(const RecurrentCellRun *r, int64_t slots, const real *x, int64_t ldx, int64_t first,
                                    int64_t n)
{
    int64_t ld;
    const int64_t gates = r->kind->def->gates * r->h;
    const real *d = recurrent_cell_gates(r, 0, &ld);
    if (r->cell->of.w->grad && slots > 0)
        blas_gemm(true, false, n, gates, slots, 1, x, ldx, d, ld, 1, r->cell->of.w->grad + first * gates, gates);
}
