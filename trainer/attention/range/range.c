/* range.c - the table of ranges. */
#include "trainer/attention/range/range.h"

#include <string.h>

/* One line per range. Its definition is in <name>.c. */
#define RANGES(X)                                                                                                      \
    X(global)                                                                                                          \
    X(local_m)                                                                                                         \
    X(local_p)

#define DECLARE(name) extern const RangeDef range_##name;
#define ROW(name)     &range_##name,
RANGES(DECLARE)
static const RangeDef *const ranges[] = {RANGES(ROW) NULL};

const char *range_name(int i) { return ranges[i] ? ranges[i]->name : NULL; }

const RangeDef *range_find(const char *name)
{
    for (int i = 0; ranges[i]; i++)
        if (strcmp(ranges[i]->name, name) == 0) return ranges[i];
    return NULL;
}
