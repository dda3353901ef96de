/* twister.c - MT19937: x[k + 624] = x[k + 397] ^ (upper bit of x[k], lower 31 of x[k + 1]) A, then tempering. */
#include "trainer/metric/quality/twister.h"

enum { MIDDLE = 397 };

/* Initialised by an array of the one word `seed`. */
void twister_seed(Twister *t, uint32_t seed)
{
    uint32_t *x = t->word;
    x[0] = 19650218;
    for (uint32_t i = 1; i < TWISTER_WORDS; i++) x[i] = 1812433253 * (x[i - 1] ^ x[i - 1] >> 30) + i;
    uint32_t i = 1;
    for (int k = 0; k < TWISTER_WORDS; k++) {
        x[i] = (x[i] ^ (x[i - 1] ^ x[i - 1] >> 30) * 1664525) + seed;
        if (++i == TWISTER_WORDS) x[0] = x[TWISTER_WORDS - 1], i = 1;
    }
    for (int k = 1; k < TWISTER_WORDS; k++) {
        x[i] = (x[i] ^ (x[i - 1] ^ x[i - 1] >> 30) * 1566083941) - i;
        if (++i == TWISTER_WORDS) x[0] = x[TWISTER_WORDS - 1], i = 1;
    }
    x[0] = 0x80000000;
    t->next = TWISTER_WORDS;
}

static void refill(Twister *t)
{
    uint32_t *x = t->word;
    for (int k = 0; k < TWISTER_WORDS; k++) {
        const uint32_t y = (x[k] & 0x80000000) | (x[(k + 1) % TWISTER_WORDS] & 0x7fffffff);
        x[k] = x[(k + MIDDLE) % TWISTER_WORDS] ^ y >> 1 ^ (y & 1 ? 0x9908b0df : 0);
    }
    t->next = 0;
}

uint32_t twister_next(Twister *t)
{
    if (t->next == TWISTER_WORDS) refill(t);
    uint32_t y = t->word[t->next++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680;
    y ^= y << 15 & 0xefc60000;
    return y ^ y >> 18;
}

double twister_real(Twister *t)
{
    const uint32_t high = twister_next(t) >> 5, low = twister_next(t) >> 6;
    return ((double)high * 67108864 + (double)low) / 9007199254740992;
}

uint32_t twister_below(Twister *t, uint32_t n)
{
    int bits = 0;
    while (bits < 32 && n >> bits > 0) bits++;
    uint32_t r;
    do r = twister_next(t) >> (32 - bits);
    while (r >= n);
    return r;
}
