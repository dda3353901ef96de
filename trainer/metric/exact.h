/* exact.h - a sum of real numbers that does not depend on their order or on who adds them.
 *
 * Each number is rounded once, to a multiple of 2^-40, and kept as two integers: hi in units of 2^-8, lo in units of
 * 2^-40. Sums of integers are exact in any order, and over ranks hi and lo are added each by itself. Numbers whose size
 * is 2^30 or more, and those that are not finite, make the sum NaN: they are counted. Room for 2^22 numbers near 2^30
 * and 2^30 numbers of any size below. */
#ifndef TRAINER_METRIC_EXACT_H
#define TRAINER_METRIC_EXACT_H
#include <stdint.h>

enum { EXACT_HI, EXACT_LO, EXACT_BAD, EXACT_COUNTERS };

void exact_add(int64_t sum[EXACT_COUNTERS], double x);
double exact_value(const int64_t sum[EXACT_COUNTERS]);

#endif
