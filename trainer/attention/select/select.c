/* select.c - the table of selections. */
#include "trainer/attention/select/select.h"

#include <string.h>

/* One line per selection. Its definition is in <name>.c. */
#define SELECTIONS(X)                                                                                                  \
    X(soft)                                                                                                            \
    X(hard_max)                                                                                                        \
    X(hard_sample)                                                                                                     \
    X(gumbel)                                                                                                          \
    X(sparsemax)                                                                                                       \
    X(entmax15)

#define DECLARE(name) extern const SelectDef select_##name;
#define ROW(name)     &select_##name,
SELECTIONS(DECLARE)
static const SelectDef *const selections[] = {SELECTIONS(ROW) NULL};

const char *select_name(int i) { return selections[i] ? selections[i]->name : NULL; }

const SelectDef *select_find(const char *name)
{
    for (int i = 0; selections[i]; i++)
        if (strcmp(selections[i]->name, name) == 0) return selections[i];
    return NULL;
}
