/* cells.h - the recurrent cells as they are preset, and the other forms that their settings give them. */
#ifndef TESTS_CELLS_H
#define TESTS_CELLS_H
#include "trainer/layer/cell/cell.h"

static const GruSettings cells_reset_before = {GRU_RESET_BEFORE};

/* Cell number i; def NULL after the last. */
static inline Cell cells_at(int i)
{
    int n = 0;
    while (cell_name(n)) n++;
    if (i < n) return (Cell){.def = cell_find(cell_name(i))};
    const Chosen before = {&cell_find("gru")->component, &cells_reset_before};
    return i == n ? cell_of(&before) : (Cell){.def = NULL};
}

/* "gru", "gru, reset before" */
static inline const char *cells_name(Cell c) { return c.def->last_apart ? "gru, reset before" : c.def->component.name; }

#endif
