/* select.c - the table of selections. */
#include "trainer/attention/select/select.h"

/* One line per selection. Its definition is in <name>.c. */
#define SELECTIONS(X)                                                                                                  \
    X(soft)                                                                                                            \
    X(hard_max)                                                                                                        \
    X(hard_sample)                                                                                                     \
    X(gumbel)                                                                                                          \
    X(sparsemax)                                                                                                       \
    X(entmax15)

#define DECLARE(name) extern const SelectDef select_##name;
#define ROW(name)     &select_##name.component,
SELECTIONS(DECLARE)
static const Component *const selections[] = {SELECTIONS(ROW) NULL};

const Component *select_choice(int i) { return selections[i]; }
const char *select_name(int i) { return selections[i] ? selections[i]->name : NULL; }
const SelectDef *select_find(const char *name) { return (const SelectDef *)schema_find(select_choice, name); }
