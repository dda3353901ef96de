/* readout.h - from a decoder's result and the embedding of the word before to the features of the output layer.
 *
 *   state   the result as it is
 *   tanh    tanh(W [y ; e] + b)
 *   maxout  the larger of each pair of W [y ; e] + b (Bahdanau 2015, where y = [s ; c]) */
#ifndef TRAINER_GENERATE_READOUT_H
#define TRAINER_GENERATE_READOUT_H
#include "io/config/schema.h"
#include "trainer/core/panel.h"
#include "trainer/layer/linear.h"

typedef struct Readout {
    int kind;
    int64_t result, embedding, width; /* of y, of e, of the features */
    Linear linear;                    /* (result + embedding, width or 2 width) */
} Readout;

typedef struct ReadoutSettings { /* of tanh and maxout */
    int64_t width;
} ReadoutSettings;

const Component *readout_choice(int i); /* the family, state first: NULL after the last */

/* Parameters path/W and path/b. */
NODISCARD Status readout_build(Readout *r, Params *ps, const char *path, Chosen chosen, int64_t result,
                               int64_t embedding);
bool readout_reads_embedding(const Readout *r);
/* Its features are at most 1, and small at the start: logits grow by the weights of the output layer alone. Drawn by
 * Glorot's rule these are as small as the vocabulary is large (4 times smaller than the width calls for, of 8,000 words
 * and 256 units), and so is the gradient that reaches the features: they need the spread of their width. */
bool readout_bounded(const Readout *r);
/* y (N,result)  e (N,embedding), NULL for state -> (N,width) */
Node *readout_forward(const Readout *r, Tape *t, Node *y, Node *e);

/* Without a tape, the same bits. */
typedef struct ReadoutRows {
    const Readout *readout;
    Panel w;
    real *in, *sum; /* (rows, result + embedding), (rows, width or 2 width) */
    real *out;      /* (rows, width) */
} ReadoutRows;

NODISCARD Status readout_open(ReadoutRows *r, Arena *arena, const Readout *readout, int64_t rows);
/* -> (n,width), valid until the next call */
const real *readout_rows(const ReadoutRows *r, int64_t n, const real *y, const real *e);

#endif
