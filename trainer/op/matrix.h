/* matrix.h - the products that ops need, dense and row-major without gaps. Only for trainer/op. */
#ifndef TRAINER_OP_MATRIX_H
#define TRAINER_OP_MATRIX_H
#include <stdint.h>

#include "trainer/core/real.h"

/* c (m,n) += a (m,k) b (k,n). Row i of c hangs on row i of a alone, whatever m is. */
void op_matrix_nn(int64_t m, int64_t n, int64_t k, const real *a, const real *b, real *c);
/* c (m,n) += a (m,k) b (n,k)^T. Row i of c hangs on row i of a alone, whatever m is. */
void op_matrix_nt(int64_t m, int64_t n, int64_t k, const real *a, const real *b, real *c);
/* c (m,n) += a (k,m)^T b (k,n) */
void op_matrix_tn(int64_t m, int64_t n, int64_t k, const real *a, const real *b, real *c);

#endif
