/* twister.h - the numbers that Python's random.seed(N) leads to, for a measure that is defined by them.
 *
 * Never for Mneme's own random numbers: those are comm/random.h. */
#ifndef TRAINER_METRIC_QUALITY_TWISTER_H
#define TRAINER_METRIC_QUALITY_TWISTER_H
#include <stdint.h>

enum { TWISTER_WORDS = 624 };

/* MT19937 (Matsumoto and Nishimura 1998). */
typedef struct Twister {
    uint32_t word[TWISTER_WORDS];
    int next;
} Twister;

void twister_seed(Twister *t, uint32_t seed);   /* as random.seed(seed) */
uint32_t twister_next(Twister *t);              /* 32 bits */
double twister_real(Twister *t);                /* random.random() */
uint32_t twister_below(Twister *t, uint32_t n); /* random.randint(0, n - 1) of Python 3; n at least 1 */

#endif
