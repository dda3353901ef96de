/* pool.h - attention pooling: the rows of each segment become one, weighted by an attention with a learnt query. */
#ifndef TRAINER_ATTENTION_POOL_H
#define TRAINER_ATTENTION_POOL_H
#include "trainer/attention/attend.h"
#include "trainer/op/op.h"

typedef struct PoolSettings {
    Chosen score, select, range;
    int64_t query; /* width of the learnt query; 0: that of the rows */
} PoolSettings;

/* Their rows, for a group of a component that pools. */
extern const FieldRows pool_rows;

typedef struct PoolFused PoolFused;

typedef struct Pool {
    Attend *attend;
    Param *query;           /* (1,m), or NULL */
    const PoolFused *fused; /* the same in one operation, or NULL */
    TapeView view;          /* what its attention is: name, level, axes */
} Pool;

/* width of the rows; longest: most of them in a segment. */
NODISCARD Status pool_build(Pool *p, Params *ps, const PoolSettings *s, int64_t width, int64_t longest,
                            const char *path);
int64_t pool_width(const Pool *p); /* K D */
/* h (N,D) -> (s.n, K D). row_key (s.n): of random numbers, read when the selection draws. *penalty is added to, when
 * there is one; NULL stands for 0. */
Node *pool_forward(const Pool *p, Tape *t, Node *h, Segments s, const uint64_t *row_key, Node **penalty);

#endif
