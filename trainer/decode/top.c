/* top.c - a heap of the k best so far, its worst at the root; a block whose largest is no better is not looked at. */
#include "trainer/decode/top.h"

#include <math.h>

#include "trainer/core/kernel.h"

int64_t top_blocks(int64_t n) { return (n + KERNEL_BLOCK - 1) / KERNEL_BLOCK; }

static bool before(Top a, Top b) { return a.value > b.value || (a.value == b.value && a.id < b.id); }

/* The element at i moves down until nothing worse is below it. */
static void sift(Top *heap, int64_t n, int64_t i)
{
    const Top moved = heap[i];
    for (int64_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && before(heap[child], heap[child + 1])) child++;
        if (!before(moved, heap[child])) break;
        heap[i] = heap[child];
    }
    heap[i] = moved;
}

static void rise(Top *heap, int64_t i)
{
    const Top moved = heap[i];
    for (; i > 0 && before(heap[(i - 1) / 2], moved); i = (i - 1) / 2) heap[i] = heap[(i - 1) / 2];
    heap[i] = moved;
}

int64_t top_select(int64_t n, const real *x, const real *block, int64_t k, Top *out)
{
    int64_t held = 0;
    if (k <= 0) return 0;
    for (int64_t b = 0; b * KERNEL_BLOCK < n; b++) {
        /* Ids ascend: an equal number that comes later is worse. */
        real least = held == k ? out[0].value : (real)-INFINITY;
        if (!(block[b] > least)) continue;
        const int64_t end = (b + 1) * KERNEL_BLOCK < n ? (b + 1) * KERNEL_BLOCK : n;
        for (int64_t i = b * KERNEL_BLOCK; i < end; i++) {
            if (!(x[i] > least)) continue;
            const Top item = {x[i], (int32_t)i};
            if (held < k) {
                out[held] = item;
                rise(out, held++);
            } else {
                out[0] = item;
                sift(out, held, 0);
            }
            if (held == k) least = out[0].value;
        }
    }
    for (int64_t last = held - 1; last > 0; last--) { /* the worst goes to the end */
        const Top worst = out[0];
        out[0] = out[last];
        out[last] = worst;
        sift(out, last, 0);
    }
    return held;
}
