/* cell.c - the table of recurrent cells, and what holds for each of them. */
#include "trainer/layer/cell/cell.h"

#include <math.h>
#include <string.h>

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

Status cell_pack_back(const CellDef *def, const Param *u, int64_t h, Arena *scratch, Panel *ut)
{
    real *sorted;
    TRY_NEW(sorted, scratch, h * def->gates * h);
    for (int64_t i = 0; i < h; i++)
        for (int g = 0; g < def->gates; g++)
            memcpy(sorted + (i * def->gates + g) * h, u->value + (i * def->gates + def->recurrent_gate[g]) * h,
                   (size_t)h * sizeof(real));
    return panel_pack(ut, scratch, sorted, true, def->gates * h, h);
}

void cell_carry(const CellDef *def, const StepRows *s, const Panel *ut, real *product)
{
    const int64_t h = s->h, width = def->columns * h;
    const real *from = s->record + def->recurrent * h;
    if (!s->mask[0]) {
        panel_gemm(s->rows, from, width, ut, 1, s->d_carry, h);
        return;
    }
    panel_gemm(s->rows, from, width, ut, 0, product, h);
    for (int i = 0; i < s->rows; i++) kernels()->multiply(h, product + i * h, s->mask[i], product + i * h);
    kernels()->add(s->rows * h, product, s->d_carry);
}
