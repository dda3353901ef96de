/* real.h - the numbers of the model: float to train, double to check gradients. */
#ifndef TRAINER_CORE_REAL_H
#define TRAINER_CORE_REAL_H
#include "comm/comm.h"

#ifdef MNEME_DOUBLE
typedef double real;
#define COMM_REAL COMM_F64
#else
typedef float real;
#define COMM_REAL COMM_F32
#endif

#endif
