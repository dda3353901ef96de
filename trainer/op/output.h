/* output.h - the output layer of a model of sequences: logits over a vocabulary, some rows at a time. Only for
 * trainer/op.
 *
 * The whole (positions, words) is never there. A row of logits is a function of its row of x alone, bit for bit, and
 * the same bits as by a panel of the whole w. */
#ifndef TRAINER_OP_OUTPUT_H
#define TRAINER_OP_OUTPUT_H
#include "trainer/core/tape.h"

typedef struct Output {
    int64_t N, D, V;
    const real *x, *w, *bias; /* (N,D)  (V,D)  (V) or NULL */
} Output;

/* False, and the tape is marked, when shapes or targets (N) do not fit. op: its name, for the message. */
bool output_of(Output *o, Tape *t, const char *op, const Node *x, const Node *w, const Node *bias,
               const int32_t *target);
int64_t output_piece(const Output *o); /* rows at a time: about 512, more for a small vocabulary; at most N */
/* z (n,V): logits of rows first .. first + n - 1. Scratch memory from arena. */
NODISCARD Status output_logits(const Output *o, Arena *arena, int64_t first, int64_t n, real *z);

#endif
