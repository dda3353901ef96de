/* top.h - the k largest numbers of a row, without sorting it. */
#ifndef TRAINER_DECODE_TOP_H
#define TRAINER_DECODE_TOP_H
#include "trainer/core/real.h"

typedef struct Top {
    real value;
    int32_t id; /* place in the row */
} Top;

/* Of x (n) the k largest, largest first, of equal ones the lower id first; -inf and NaN are none of them. block
 * (top_blocks(n)): their maxima by the kernel block_maxima. Returns how many there are, at most k. */
int64_t top_select(int64_t n, const real *x, const real *block, int64_t k, Top *out);
int64_t top_blocks(int64_t n);

#endif
