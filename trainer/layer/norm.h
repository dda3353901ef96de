/* norm.h - layer normalisation with its gain and bias. */
#ifndef TRAINER_LAYER_NORM_H
#define TRAINER_LAYER_NORM_H
#include "trainer/op/op.h"

typedef struct Norm {
    Param *gain, *bias; /* (D) */
} Norm;

/* Parameters path/gain and path/bias. */
NODISCARD Status norm_build(Norm *n, Params *ps, const char *path, int64_t width);
Node *norm_forward(const Norm *n, Tape *t, Node *x); /* (N,D) -> (N,D) */

#endif
