/* cell.h - recurrent cells: what a layer over whole sequences, or a decoder, must know of one to take its steps.
 *
 * A cell is one file and one line in the table of cell.c. Of one step it gets the projected input A = x W + b and the
 * state before, multiplies that by U, and leaves a new state and a record of `columns` times H numbers. Backward leaves
 * gradients in the record: those of A side by side, those of the product with U side by side too. */
#ifndef TRAINER_LAYER_CELL_CELL_H
#define TRAINER_LAYER_CELL_CELL_H
#include "io/config/schema.h"
#include "trainer/core/panel.h"
#include "trainer/core/params.h"

typedef struct CellDef {
    Component component;    /* first: the family's table is one of components */
    const char *gates_text; /* for the meaning of parameters */
    int gates;              /* G: columns of W and U, in H */
    int columns;            /* of H in a record */
    int input;              /* the first of the G columns with gradients of A */
    int recurrent;          /* the first of the G columns with gradients of the product with U */
    int recurrent_gate[4];  /* which gates these are */
    int recurrent_bias;     /* the column with the gradient of H more biases, of a gate's product; -1: there are none */
    /* The last gate's product with U reads not the state before but the first column of the record: u and ut of the
     * functions below are then two, of the other gates and of the last one. */
    bool last_apart;
    int second; /* the column with a second state, that goes from step to step too; -1: there is none */
    /* b (G H) +=: what is added in each computation and is no part of the parameter; NULL: nothing */
    void (*add_bias)(const void *settings, int64_t h, real *b);
    void (*forward)(const StepRows *s, const Panel *u, const real *b); /* b: the parameter as it is */
    void (*backward)(const StepRows *s);
    /* What cell_carry does, with what backward could not do without it; NULL: only the former. */
    void (*carry)(const StepRows *s, const Panel *ut, real *product);
    const struct CellDef *(*form)(const void *settings); /* what the settings ask for; NULL: this */
} CellDef;

enum { CELL_PANELS = 2 }; /* of u and ut */

typedef struct Cell {
    const CellDef *def;
    const void *settings; /* its struct; NULL: it has none, or they are as they are preset */
} Cell;

Cell cell_of(const Chosen *c); /* what a part of the settings chose */

typedef struct LstmSettings {
    double forget_bias; /* added to b_f */
} LstmSettings;

typedef enum GruReset { GRU_RESET_AFTER, GRU_RESET_BEFORE } GruReset;

typedef struct GruSettings {
    GruReset reset; /* where the gate stands: U (r h) is before */
} GruSettings;

const Component *cell_choice(int i); /* the family: NULL after the last */
const char *cell_name(int i);        /* of the family; NULL after the last */
const CellDef *cell_find(const char *name);

typedef struct CellParams {
    Param *w, *u, *b; /* (inputs, G H), (H, G H), (G H; with recurrent_bias H more) */
} CellParams;

/* Parameters path/W, path/U, path/b. */
NODISCARD Status cell_declare(const CellDef *def, CellParams *p, Params *ps, const char *path, int64_t inputs,
                              int64_t h);
/* to (G H): the biases of A, with what the cell adds. */
void cell_bias(const Cell *cell, const Param *b, int64_t h, real *to);
/* U, for forward. */
NODISCARD Status cell_pack(const CellDef *def, const Param *u, int64_t h, Arena *scratch, Panel out[CELL_PANELS]);
/* U^T, rows in the order of the record: for cell_carry. */
NODISCARD Status cell_pack_back(const CellDef *def, const Param *u, int64_t h, Arena *scratch, Panel ut[CELL_PANELS]);
/* The slots' part of dU: du (H, G H) += what was multiplied by U, transposed, times their gradients. before (slots,H)
 * the masked states, record (slots, columns * H) after backward. gate: def->recurrent_gate for columns as U has them,
 * NULL for the order of the record. */
void cell_recurrent_gradients(const CellDef *def, int64_t slots, int64_t h, const real *before, const real *record,
                              const int *gate, real *du);
/* After backward of a step: s->d_carry += mask * (gradients of the product with U) U^T. product (PANEL_ROWS_MAX,H) */
void cell_carry(const CellDef *def, const StepRows *s, const Panel *ut, real *product);

#endif
