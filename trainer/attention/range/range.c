/* range.c - the table of ranges. */
#include "trainer/attention/range/range.h"

/* One line per range. Its definition is in <name>.c. */
#define RANGES(X)                                                                                                      \
    X(global)                                                                                                          \
    X(local_m)                                                                                                         \
    X(local_p)                                                                                                         \
    X(causal)

#define DECLARE(name) extern const RangeDef range_##name;
#define ROW(name)     &range_##name.component,
RANGES(DECLARE)
static const Component *const ranges[] = {RANGES(ROW) NULL};

const Component *range_choice(int i) { return ranges[i]; }
const char *range_name(int i) { return ranges[i] ? ranges[i]->name : NULL; }
const RangeDef *range_find(const char *name) { return (const RangeDef *)schema_find(range_choice, name); }
