/* arithmetic.h - which code adds and multiplies: kernels and BLAS decide the order of sums, and so the last bits. */
#ifndef TRAINER_CORE_ARITHMETIC_H
#define TRAINER_CORE_ARITHMETIC_H
#include "comm/arena.h"
#include "comm/comm.h"

enum { ARITHMETIC_NAME = 128 };

const char *arithmetic_name(void); /* "v4, OpenBLAS 0.3.21, SkylakeX" */
/* [collective] ERR_HOST, naming the ranks, unless it is the same on all of them. */
NODISCARD Status arithmetic_same(Comm *comm, Arena *run);

#endif
