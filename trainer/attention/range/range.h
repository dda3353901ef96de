/* range.h - the family of ranges: the keys that a query may look at, as a window of its example's positions.
 *
 * A range is one file and one line in the table of range.c. It lives for one batch, like a score of outer queries
 * (trainer/attention/score/steps.h): open, steps forward, the same steps backward in reverse, finish. Positions count
 * from 0. */
#ifndef TRAINER_ATTENTION_RANGE_RANGE_H
#define TRAINER_ATTENTION_RANGE_RANGE_H
#include "trainer/core/panel.h"
#include "trainer/core/tape.h"

typedef struct RangeDef RangeDef;

enum { RANGE_PARAMS = 2 };

typedef struct Range {
    const RangeDef *def;
    int64_t window; /* D */
    int64_t query;  /* m */
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

typedef struct RangeStep {
    int64_t rows, slot, step;
    const int32_t *sentence; /* (rows) */
    const real *query;       /* (rows,m) */
    int64_t ld_query;        /* between rows, of d_query too */
    int64_t *first, *n;      /* (rows) out: keys first .. first + n - 1 of the example; n = 0 for one without keys */
    const real *d_centre;    /* backward (rows) */
    real *d_query;           /* backward: += */
} RangeStep;

struct RangeDef {
    const char *name, *help, *source;
    bool window; /* uses D */
    /* Weights are multiplied by exp(-(j - p)^2 / (2 sigma^2)), sigma = D / 2, p = centre: backward gets d_centre. */
    bool gaussian;
    Status (*build)(Range *r, Params *ps, const char *path);
    Status (*open)(RangeRun *r);
    void (*forward)(RangeRun *r, const RangeStep *s);
    void (*backward)(RangeRun *r, const RangeStep *s); /* NULL: nothing is learnt */
    Status (*finish)(RangeRun *r);                     /* parameters; NULL */
};

const char *range_name(int i);                /* the family: NULL after the last */
const RangeDef *range_find(const char *name); /* NULL when there is none */

/* Keys of row i's example. */
static inline int64_t range_keys(const RangeRun *r, const RangeStep *s, int64_t i)
{
    return r->keys.offset[s->sentence[i] + 1] - r->keys.offset[s->sentence[i]];
}

#endif
