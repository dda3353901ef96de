/* cell.c - the table of recurrent cells, and what holds for each of them. */
#include "trainer/layer/cell/cell.h"

#include <math.h>
#include <string.h>

#include "trainer/core/blas.h"

/* One line per cell. Its definition is in <name>.c. */
#define CELLS(X)                                                                                                       \
    X(rnn)                                                                                                             \
    X(gru)                                                                                                             \
    X(lstm)

#define DECLARE(name) extern const CellDef cell_##name;
#define ROW(name)     &cell_##name.component,
CELLS(DECLARE)
static const Component *const cells[] = {CELLS(ROW) NULL};

const Component *cell_choice(int i) { return cells[i]; }

const char *cell_name(int i) { return cells[i] ? cells[i]->name : NULL; }

const CellDef *cell_find(const char *name)
{
    return (const CellDef *)schema_find(cell_choice, name);
} /* first member */

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

Status cell_declare(const CellDef *def, CellParams *p, Params *ps, const char *path, int64_t inputs, int64_t h)
{
    const int64_t gates = def->gates * h;
    const bool more = def->recurrent_bias >= 0;
    /* Glorot's spread is that of one gate: (inputs, H), not (inputs, G * H) */
    const double one_gate = sqrt((double)(inputs + gates) / (double)(inputs + h));
    TRY(add(&p->w, ps, path, "W", SHAPE2(inputs, gates), INIT_XAVIER, one_gate,
            "input to gates: rows are inputs, columns the gates %s", def->gates_text));
    TRY(add(&p->u, ps, path, "U", SHAPE2(h, gates), INIT_ORTHOGONAL, 1, "state before to gates: columns the gates %s",
            def->gates_text));
    return add(&p->b, ps, path, "b", SHAPE1(gates + (more ? h : 0)), INIT_ZERO, 0,
               more ? "bias of the gates %s, then of n's recurrent product" : "bias of the gates %s", def->gates_text);
}

void cell_bias(const Cell *cell, const Param *b, int64_t h, real *to)
{
    memcpy(to, b->value, (size_t)(cell->def->gates * h) * sizeof(real));
    if (cell->def->add_bias) cell->def->add_bias(cell->settings, h, to);
}

Cell cell_of(const Chosen *c)
{
    const CellDef *def = (const CellDef *)(const void *)c->def; /* first member */
    const void *settings = c->def->size ? c->settings : NULL;
    return (Cell){settings && def->form ? def->form(settings) : def, settings};
}

Status cell_pack(const CellDef *def, const Param *u, int64_t h, Arena *scratch, Panel out[CELL_PANELS])
{
    const int64_t first = (def->gates - 1) * h;
    if (!def->last_apart) return panel_pack_gates(&out[0], scratch, u->value, h, h, def->gates);
    TRY(panel_pack_part(&out[0], scratch, u->value, def->gates * h, false, h, first));
    return panel_pack_part(&out[1], scratch, u->value + first, def->gates * h, false, h, h);
}

/* Rows of U as they are, where the last gate is apart: its columns are in the order of the record. */
static Status pack_apart_back(const CellDef *def, const Param *u, int64_t h, Arena *scratch, Panel ut[CELL_PANELS])
{
    const int64_t first = (def->gates - 1) * h;
    TRY(panel_pack_part(&ut[0], scratch, u->value, def->gates * h, true, first, h));
    return panel_pack_part(&ut[1], scratch, u->value + first, def->gates * h, true, h, h);
}

Status cell_pack_back(const CellDef *def, const Param *u, int64_t h, Arena *scratch, Panel ut[CELL_PANELS])
{
    if (def->last_apart) return pack_apart_back(def, u, h, scratch, ut);
    real *sorted;
    TRY_NEW(sorted, scratch, h * def->gates * h);
    for (int64_t i = 0; i < h; i++)
        for (int g = 0; g < def->gates; g++)
            memcpy(sorted + (i * def->gates + g) * h, u->value + (i * def->gates + def->recurrent_gate[g]) * h,
                   (size_t)h * sizeof(real));
    return panel_pack(&ut[0], scratch, sorted, true, def->gates * h, h);
}

/* Gates that are neighbours on both sides in one product. */
void cell_recurrent_gradients(const CellDef *def, int64_t slots, int64_t h, const real *before, const real *record,
                              const int *gate, real *du)
{
    const int64_t width = def->columns * h;
    const int own = def->gates - def->last_apart;
    for (int g = 0, n; g < own; g += n) {
        const int first = gate ? gate[g] : g;
        for (n = 1; g + n < own && (!gate || gate[g + n] == first + n);) n++;
        blas_gemm(true, false, h, n * h, slots, 1, before, h, record + (def->recurrent + g) * h, width, 1,
                  du + first * h, def->gates * h);
    }
    if (def->last_apart)
        blas_gemm(true, false, h, h, slots, 1, record, width, record + (def->recurrent + own) * h, width, 1,
                  du + own * h, def->gates * h);
}

void cell_carry(const CellDef *def, const StepRows *s, const Panel *ut, real *product)
{
    const int64_t h = s->h, width = def->columns * h;
    const real *from = s->record + def->recurrent * h;
    if (def->carry) {
        def->carry(s, ut, product);
        return;
    }
    if (!s->mask[0]) {
        panel_gemm(s->rows, from, width, ut, 1, s->d_carry, h);
        return;
    }
    panel_gemm(s->rows, from, width, ut, 0, product, h);
    for (int i = 0; i < s->rows; i++) kernels()->multiply(h, product + i * h, s->mask[i], product + i * h);
    kernels()->add(s->rows * h, product, s->d_carry);
}
