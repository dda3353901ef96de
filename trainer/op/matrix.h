/* matrix.h - the products that ops need, dense and row-major without gaps. Only for trainer/op. */
#ifndef TRAINER_OP_MATRIX_H
#define TRAINER_OP_MATRIX_H
#include "trainer/core/tape.h"

/* Forward: c (m,n) = a (m,k) b (+ bias, a row, may be NULL), b (k,n), or (n,k) when transposed. Row i of c hangs on row
 * i of a alone, whatever m is. Without memory the tape is marked and c is left as it is. */
void op_product(Tape *t, int64_t m, int64_t n, int64_t k, const real *a, const real *b, bool transposed,
                const real *bias, real *c);
/* Gradients: c (m,n) += a b with a (m,k) and b (k,n); nt: b (n,k), transposed; tn: a (k,m), transposed. */
void op_matrix_nn(int64_t m, int64_t n, int64_t k, const real *a, const real *b, real *c);
void op_matrix_nt(int64_t m, int64_t n, int64_t k, const real *a, const real *b, real *c);
void op_matrix_tn(int64_t m, int64_t n, int64_t k, const real *a, const real *b, real *c);

#endif
