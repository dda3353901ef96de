/* shape.h - what ops share: a refusal that marks the tape, sizes, and checks of ids. Only for trainer/op. */
#ifndef TRAINER_OP_SHAPE_H
#define TRAINER_OP_SHAPE_H
#include "trainer/op/op.h"

/* Mark the tape with an ERR_INTERNAL of that text (unless it failed before); returns the node that the op returns. */
Node *op_refuse(Tape *t, const char *format, ...) PRINTF_LIKE(2, 3);
/* The same with a code of its own: ERR_DATA for what an input can cause. */
Node *op_refuse_as(Tape *t, Status code, const char *format, ...) PRINTF_LIKE(3, 4);

/* "(3,4)"; the text stays valid for four calls of the same thread. */
const char *op_shape_text(const Node *n);
bool op_same_shape(const Node *a, const Node *b);
bool op_is(const Node *x, int axes); /* has so many axes */
/* A node of one input and the same shape: element-wise ops. */
Node *op_like(Tape *t, const OpDef *def, Node *x, bool *ok);

/* Are all ids in [0, limit)? If not, *at is the first that is not. */
bool op_ids_within(int64_t n, const int32_t *id, int64_t limit, int64_t *at);
/* Do the segments cover rows 0..rows-1 in ascending order? */
bool op_segments_cover(Segments s, int64_t rows);

/* Add weight_r * vector_i to the gradient of each row r of segment i of m: kept as it is, when m is a sum of sentences
 * that has room for it; false otherwise. weight (N), vector (s.n,d) and s stay until the tape ends. */
bool op_outer_gradient(Node *m, const real *weight, const real *vector, Segments s);

#endif
