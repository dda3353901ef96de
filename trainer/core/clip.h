/* clip.h - bounds on gradients, dense and kept as rows alike.
 *
 * The norm is a sum in double in a fixed order, so that all ranks, which hold the same gradients, get the same bits.
 * Rows must have been merged (param_merge_rows): the norm of a sum is not the sum of norms. */
#ifndef TRAINER_CORE_CLIP_H
#define TRAINER_CORE_CLIP_H
#include "trainer/core/params.h"

/* sqrt of the sum of all squares; NaN or infinite when a gradient is. */
double clip_norm_of(Params *ps);
/* Scale all gradients by max / norm when the norm is above max (Pascanu et al. 2013). Returns the norm before; when it
 * is not finite nothing is changed, and the caller decides. */
double clip_norm(Params *ps, double max);
/* Each element into [-max, max]. NaN stays. */
void clip_value(Params *ps, double max);
/* The padding rows of dense tables get no gradient. clip_norm_of and optim_step call it. */
void clip_zero_rows(Params *ps);

#endif
