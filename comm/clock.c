/* clock.c - the two clocks of POSIX. */
#include "comm/clock.h"

#include <time.h>

static double seconds(clockid_t which)
{
    struct timespec t;
    if (clock_gettime(which, &t) != 0) return 0; /* both clocks are there on every POSIX system */
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double clock_seconds(void) { return seconds(CLOCK_MONOTONIC); }

double clock_epoch(void) { return seconds(CLOCK_REALTIME); }
