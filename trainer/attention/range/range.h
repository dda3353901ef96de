/* range.h - the family of ranges: the keys that a query may look at, as a window of its example's positions.
 *
 * A range is one file and one line in the table of range.c. It lives for one batch, like a score
 * (trainer/attention/score/score.h): open, blocks of queries forward, the same blocks backward in reverse, finish.
 * Positions count from 0. */
#ifndef TRAINER_ATTENTION_RANGE_RANGE_H
#define TRAINER_ATTENTION_RANGE_RANGE_H
#include "io/config/schema.h"
#include "trainer/core/panel.h"
#include "trainer/core/tape.h"

typedef struct RangeDef RangeDef;

enum { RANGE_PARAMS = 2 };

/* Of a range with a window, first in its settings. */
typedef struct WindowSettings {
    int64_t window; /* D: positions to each side of the middle */
} WindowSettings;

typedef struct Range {
    const RangeDef *def;
    const void *settings; /* what its rows fill */
    int64_t query;        /* m */
    Param *p[RANGE_PARAMS];
} Range;

typedef struct RangeRun {
    const Range *range;
    Arena *arena;
    Segments keys;
    int64_t slots;
    bool backward;
    const real *query; /* (slots,m) for finish; NULL unless backward */
    real *centre;      /* (slots) p, of a range that has one */
    void *own;
} RangeRun;

typedef struct RangeBlock {
    int64_t rows, slot, step;
    const int64_t *position; /* (rows) of each query in its sequence; NULL: step, of all */
    const int32_t *sentence; /* (rows) */
    const real *query;       /* (rows,m) */
    int64_t ld_query;        /* between rows, of d_query too */
    int64_t *first, *n;      /* (rows) out: keys first .. first + n - 1 of the example; n = 0: none, first is 0 */
    const real *d_centre;    /* backward (rows) */
    real *d_query;           /* backward: += */
} RangeBlock;

struct RangeDef {
    Component component;
    bool window;    /* its settings begin with WindowSettings */
    bool positions; /* asks where the query stands in its sequence */
    bool within;    /* query and keys are of one sequence */
    /* Weights are multiplied by exp(-(j - p)^2 / (2 sigma^2)), sigma = D / 2, p = centre: backward gets d_centre. */
    bool gaussian;
    Status (*build)(Range *r, Params *ps, const char *path); /* NULL: no parameters */
    Status (*open)(RangeRun *r);                             /* NULL: nothing is prepared */
    void (*forward)(RangeRun *r, const RangeBlock *b);
    void (*backward)(RangeRun *r, const RangeBlock *b); /* NULL: nothing is learnt */
    Status (*finish)(RangeRun *r);                      /* parameters; NULL */
};

const Component *range_choice(int i); /* the family: NULL after the last */
const char *range_name(int i);
const RangeDef *range_find(const char *name); /* NULL when there is none */

/* For ranges with a window: their first row, D. */
#define RANGE_WINDOW(type)                                                                                             \
    FIELD(type, window, .preset = "10", .min = 1, .max = 100000, .unit = "positions",                                  \
          .help = "Positions to each side of the window's middle.")
static inline int64_t range_window(const Range *r) { return ((const WindowSettings *)r->settings)->window; }

/* Keys of row i's example. */
static inline int64_t range_keys(const RangeRun *r, const RangeBlock *b, int64_t i)
{
    return r->keys.offset[b->sentence[i] + 1] - r->keys.offset[b->sentence[i]];
}

static inline int64_t range_position(const RangeBlock *b, int64_t i) { return b->position ? b->position[i] : b->step; }

#endif
