/* random.h - random numbers without a state: each is a function of what it is for.
 *
 * Philox4x32-10 (Salmon et al. 2011, Random123). A key is made from the run's seed, the use and a number such as
 * the step; a draw is addressed by row (the example, or example and position) and column. Never by rank. */
#ifndef COMM_RANDOM_H
#define COMM_RANDOM_H
#include <stdint.h>

typedef enum RandomUse {
    RANDOM_INIT = 1, /* initial values of parameters; number = index of the parameter */
    RANDOM_ORDER,    /* order of examples; number = epoch */
    RANDOM_DROPOUT,  /* number = step */
    RANDOM_NOISE,    /* memories left empty, and other noise on inputs; number = step */
    RANDOM_GENERATE, /* artificial corpora; number = example */
    RANDOM_SELECT,   /* hard attention, sampling; number = step */
    RANDOM_TEST
} RandomUse;

typedef struct RandomKey {
    uint32_t word[2];
} RandomKey;

RandomKey random_key(uint64_t seed, RandomUse use, uint64_t number);
/* Four independent 32-bit numbers of (key, row, column). */
void random_bits(RandomKey key, uint64_t row, uint64_t column, uint32_t out[4]);
/* Uniform in [0, 1), the first word of (row, column) scaled by 2^-32. */
double random_uniform(RandomKey key, uint64_t row, uint64_t column);
/* Standard normal (Box-Muller on two words of the same block). */
double random_normal(RandomKey key, uint64_t row, uint64_t column);
/* Uniform integer in [0, n), n >= 1, without modulo bias worth naming (64-bit multiply-shift). */
int64_t random_below(RandomKey key, uint64_t row, uint64_t column, int64_t n);
/* The i-th element of a permutation of 0..n-1 that the key chooses, in O(1) memory (Feistel network, cycle walking). */
int64_t random_permute(RandomKey key, int64_t i, int64_t n);

#endif
