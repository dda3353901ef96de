/* linear.h - y = x W + b. */
#ifndef TRAINER_LAYER_LINEAR_H
#define TRAINER_LAYER_LINEAR_H
#include "trainer/op/op.h"

typedef struct Linear {
    Param *w, *b; /* (D,M), (M) */
} Linear;

/* Parameters path/W and path/b. */
NODISCARD Status linear_build(Linear *l, Params *ps, const char *path, int64_t inputs, int64_t outputs);
Node *linear_forward(const Linear *l, Tape *t, Node *x); /* (N,D) -> (N,M) */

#endif
