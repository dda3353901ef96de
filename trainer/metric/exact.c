/* exact.c - hi = floor(x 2^8), lo = round((x - hi 2^-8) 2^40). */
#include "trainer/metric/exact.h"

#include <math.h>

static const double HI_UNIT = 1.0 / 256, LO_UNIT = 1.0 / 1099511627776.0, LIMIT = 1073741824.0;

void exact_add(int64_t sum[EXACT_COUNTERS], double x)
{
    if (!(fabs(x) < LIMIT)) {
        sum[EXACT_BAD]++;
        return;
    }
    const double hi = floor(x / HI_UNIT); /* below 2^38, exact; so is the difference */
    sum[EXACT_HI] += (int64_t)hi;
    sum[EXACT_LO] += (int64_t)llrint((x - hi * HI_UNIT) / LO_UNIT); /* 0 to 2^32 */
}

/* lo is carried into hi first, so that the double hangs on the sum alone and not on how it was split. */
double exact_value(const int64_t sum[EXACT_COUNTERS])
{
    if (sum[EXACT_BAD]) return (double)NAN;
    const int64_t carry = sum[EXACT_LO] / 4294967296, lo = sum[EXACT_LO] % 4294967296;
    return (double)(sum[EXACT_HI] + carry) * HI_UNIT + (double)lo * LO_UNIT;
}
