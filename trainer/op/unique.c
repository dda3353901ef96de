/* unique.c - different ids through a set of bits: no sorting, and the place of an id is a count of bits below it. */
#include "trainer/op/unique.h"

#include <string.h>

#include "trainer/op/shape.h"

/* Bits set in x (the usual tree of sums). */
static int64_t bits_in(uint64_t x)
{
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (int64_t)(x * 0x0101010101010101u >> 56);
}

bool unique_ids(Tape *t, int64_t limit, int64_t n, const int32_t *id, int64_t *u, int32_t **unique, int32_t **index)
{
    const size_t words = (size_t)(limit + 63) / 64;
    uint64_t *set = tape_alloc(t, words * sizeof *set);
    int32_t *below = tape_alloc(t, words * sizeof *below); /* ids in the set before this word */
    *index = tape_alloc(t, (size_t)n * sizeof **index);
    if (!*index) return false;
    memset(set, 0, words * sizeof *set);
    for (int64_t i = 0; i < n; i++) set[id[i] / 64] |= (uint64_t)1 << id[i] % 64;
    int64_t count = 0;
    for (size_t w = 0; w < words; w++) {
        below[w] = (int32_t)count;
        count += bits_in(set[w]);
    }
    *u = count;
    *unique = tape_alloc(t, (size_t)count * sizeof **unique);
    if (!*unique) return false;
    for (int64_t i = 0; i < n; i++) {
        const uint64_t lower = set[id[i] / 64] & (((uint64_t)1 << id[i] % 64) - 1);
        (*index)[i] = below[id[i] / 64] + (int32_t)bits_in(lower);
        (*unique)[(*index)[i]] = id[i];
    }
    return true;
}
