/* random.c - Philox4x32-10 keyed by purpose, and what is drawn from it. */
#include "comm/random.h"

#include <Random123/philox.h>
#include <math.h>

static philox4x32_ctr_t philox(uint32_t k0, uint32_t k1, uint64_t low, uint64_t high)
{
    const philox4x32_ctr_t counter = {{(uint32_t)low, (uint32_t)(low >> 32), (uint32_t)high, (uint32_t)(high >> 32)}};
    const philox4x32_key_t key = {{k0, k1}};
    return philox4x32_R(10, counter, key);
}

/* The seed is the key of a first block whose counter is (number, use); its output is the key of the draws. */
RandomKey random_key(uint64_t seed, RandomUse use, uint64_t number)
{
    const philox4x32_ctr_t r = philox((uint32_t)seed, (uint32_t)(seed >> 32), number, (uint64_t)use);
    return (RandomKey){{r.v[0], r.v[1]}};
}

void random_bits(RandomKey key, uint64_t row, uint64_t column, uint32_t out[4])
{
    const philox4x32_ctr_t r = philox(key.word[0], key.word[1], column, row);
    for (int i = 0; i < 4; i++) out[i] = r.v[i];
}

double random_uniform(RandomKey key, uint64_t row, uint64_t column)
{
    return philox(key.word[0], key.word[1], column, row).v[0] * 0x1p-32;
}

/* sqrt(-2 ln u) cos(2 pi v) with u in (0, 1], v in [0, 1). */
double random_normal(RandomKey key, uint64_t row, uint64_t column)
{
    const double two_pi = 6.283185307179586;
    const philox4x32_ctr_t r = philox(key.word[0], key.word[1], column, row);
    const double u = (r.v[0] + 1.0) * 0x1p-32, v = r.v[1] * 0x1p-32;
    return sqrt(-2 * log(u)) * cos(two_pi * v);
}

/* The upper 64 bits of a * b. */
static uint64_t multiply_high(uint64_t a, uint64_t b)
{
    const uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    const uint64_t middle = a1 * b0 + (a0 * b0 >> 32); /* cannot overflow: (2^32-1)^2 + 2^32-1 < 2^64 */
    return a1 * b1 + (middle >> 32) + (((uint32_t)middle + a0 * b1) >> 32);
}

/* floor(x n / 2^64) for 64 random bits x: the bias is below n / 2^64 (Lemire 2019). */
int64_t random_below(RandomKey key, uint64_t row, uint64_t column, int64_t n)
{
    const philox4x32_ctr_t r = philox(key.word[0], key.word[1], column, row);
    const uint64_t bits = (uint64_t)r.v[1] << 32 | r.v[0];
    return (int64_t)multiply_high(bits, (uint64_t)n);
}

/* A Feistel network permutes 0..4^half-1, the smallest such range that holds n; a value outside 0..n-1 is sent through
 * again until it falls inside (Black and Rogaway 2002): on average less than 4 times. Each round adds Philox bits of
 * one half to the other. With few bits a network is a poor permutation whatever its rounds, hence as many as 8. */
int64_t random_permute(RandomKey key, int64_t i, int64_t n)
{
    enum { ROUNDS = 8 };
    int half = 1;
    while (half < 32 && (UINT64_C(1) << 2 * half) < (uint64_t)n) half++;
    const uint64_t mask = (UINT64_C(1) << half) - 1;
    uint64_t x = (uint64_t)i;
    do {
        uint64_t left = x >> half, right = x & mask;
        for (uint64_t round = 0; round < ROUNDS; round++) {
            const uint64_t next =
                left ^ (philox(key.word[0], key.word[1], right, round << 32 | 0x50455221u).v[0] & mask);
            left = right;
            right = next;
        }
        x = left << half | right;
    } while (x >= (uint64_t)n);
    return (int64_t)x;
}
