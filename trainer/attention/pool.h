/* pool.h - attention pooling: the rows of each segment become one, weighted by a score with a learnt query. */
#ifndef TRAINER_ATTENTION_POOL_H
#define TRAINER_ATTENTION_POOL_H
#include "trainer/attention/score/score.h"

typedef struct Pool {
    Score score;
    const char *view; /* name of its attention: "word", "sentence" */
    int layer;        /* number of the level, for views */
    double penalty;   /* lambda of ||A A^T - I||_F^2, for scores of several rows; 0: none */
} Pool;

NODISCARD Status pool_build(Pool *p, Params *ps, const ScoreDef *score, ScoreSizes size, const char *path);
int64_t pool_width(const Pool *p); /* K D */
/* h (N,D) -> (s.n, K D). *penalty is added to, when there is one; NULL stands for 0. */
Node *pool_forward(const Pool *p, Tape *t, Node *h, Segments s, Node **penalty);

#endif
