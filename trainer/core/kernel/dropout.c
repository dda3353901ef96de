/* dropout.c - which elements of a row stay, from Philox4x32-10 (Salmon 2011), and what becomes of them. The bits are
 * those of random_bits in comm/random.c; here 16 blocks are made side by side. */
#include "trainer/core/kernel/vector.h"

enum { BLOCKS = 16, ROUNDS = 10, PER_BLOCK = 8 };

typedef struct Blocks {
    uint32_t word[4][BLOCKS];
} Blocks;

KERNEL_INLINE void philox_round(Blocks *b, uint32_t k0, uint32_t k1)
{
    for (int i = 0; i < BLOCKS; i++) {
        const uint64_t p = (uint64_t)b->word[0][i] * 0xD2511F53u, q = (uint64_t)b->word[2][i] * 0xCD9E8D57u;
        const uint32_t w1 = b->word[1][i], w3 = b->word[3][i];
        b->word[0][i] = (uint32_t)(q >> 32) ^ w1 ^ k0;
        b->word[1][i] = (uint32_t)q;
        b->word[2][i] = (uint32_t)(p >> 32) ^ w3 ^ k1;
        b->word[3][i] = (uint32_t)p;
    }
}

/* Blocks of columns first .. first + 15 of the row. */
KERNEL_NOINLINE void philox_blocks(RandomKey key, uint64_t row, uint32_t first, Blocks *b)
{
    for (int i = 0; i < BLOCKS; i++) {
        b->word[0][i] = first + (uint32_t)i;
        b->word[1][i] = 0;
        b->word[2][i] = (uint32_t)row;
        b->word[3][i] = (uint32_t)(row >> 32);
    }
    uint32_t k0 = key.word[0], k1 = key.word[1];
    for (int r = 0; r < ROUNDS; r++) {
        philox_round(b, k0, k1);
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
}

void LEVEL(kernel_dropout_draw)(RandomKey key, uint64_t row, int64_t n, uint32_t threshold, uint8_t *stays)
{
    uint8_t all[BLOCKS * PER_BLOCK];
    for (int64_t first = 0; first < n; first += BLOCKS * PER_BLOCK) {
        Blocks b;
        philox_blocks(key, row, (uint32_t)(first / PER_BLOCK), &b);
        for (int i = 0; i < BLOCKS; i++) KERNEL_UNROLL for (int j = 0; j < 4; j++)
            {
                all[i * PER_BLOCK + 2 * j] = (b.word[j][i] & 0xffff) >= threshold;
                all[i * PER_BLOCK + 2 * j + 1] = b.word[j][i] >> 16 >= threshold;
            }
        memcpy(stays + first, all, (size_t)(n - first < BLOCKS * PER_BLOCK ? n - first : BLOCKS * PER_BLOCK));
    }
}

void LEVEL(kernel_dropout_apply)(int64_t n, const uint8_t *stays, real scale, const real *x, real *y)
{
    for (int64_t i = 0; i < n; i++) y[i] = stays[i] ? scale * x[i] : 0;
}

void LEVEL(kernel_dropout_add)(int64_t n, const uint8_t *stays, real scale, const real *x, real *y)
{
    for (int64_t i = 0; i < n; i++) y[i] += stays[i] ? scale * x[i] : 0;
}
