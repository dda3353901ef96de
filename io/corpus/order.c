/* order.c - the order of examples, from counter-based random numbers. */
#include "io/corpus/order.h"

#include <stdlib.h>
#include <string.h>

/* Small sets are shuffled example by example; large ones by blocks, so that a shard is read in long runs. */
static int64_t block_for(int64_t examples)
{
    const int64_t block = examples / 1024;
    return block < 1 ? 1 : block > 256 ? 256 : block;
}

Order order_of(uint64_t seed, int64_t examples, int64_t batch, int64_t window, bool shuffle)
{
    return (Order){seed, examples, batch, window, shuffle, block_for(examples)};
}

static int64_t divide_up(int64_t a, int64_t b) { return a / b + (a % b != 0); }

int64_t order_batches(const Order *o) { return divide_up(o->examples, o->batch); }

int64_t order_windows(const Order *o) { return divide_up(order_batches(o), o->window); }

/* batch * window may not fit: batches are counted first. */
int64_t order_window_size(const Order *o, int64_t window, int64_t *start)
{
    const int64_t batches = order_batches(o), first = window * o->window;
    const int64_t after = batches - first > o->window ? first + o->window : batches;
    *start = first * o->batch;
    return after == batches ? o->examples - *start : (after - first) * o->batch;
}

/* What a random number is for: the rows of RANDOM_ORDER. */
enum { ROW_TAIL = 0, ROW_BATCHES = 1, ROW_WINDOW = 2 };

/* Whole blocks are permuted; the shorter block at the end of the split goes between two of them. */
OrderRun order_run(const Order *o, int64_t epoch, int64_t at)
{
    const int64_t K = o->block, whole = o->examples / K, tail = o->examples % K;
    if (!o->shuffle) return (OrderRun){at, o->examples - at};
    const RandomKey key = random_key(o->seed, RANDOM_ORDER, (uint64_t)epoch);
    const int64_t before = random_below(key, ROW_TAIL, 0, whole + 1) * K; /* examples that come before the tail */
    if (at >= before && at < before + tail) return (OrderRun){whole * K + at - before, before + tail - at};
    const int64_t p = at < before ? at : at - tail;
    const int64_t block = random_permute(key, p / K, whole);
    return (OrderRun){block * K + p % K, K - p % K};
}

/* Fisher-Yates; numbers are addressed by row, so that windows do not share them. */
static void shuffle(RandomKey key, uint64_t row, int64_t n, int64_t *item)
{
    for (int64_t i = n - 1; i > 0; i--) {
        const int64_t j = random_below(key, row, (uint64_t)i, i + 1), keep = item[i];
        item[i] = item[j];
        item[j] = keep;
    }
}

/* Stable merge sort by length: the result does not depend on a library's qsort. */
static void sort_by_length(int64_t n, const int64_t *length, int64_t *item, int64_t *space)
{
    for (int64_t width = 1; width < n; width *= 2) {
        for (int64_t low = 0; low < n; low += 2 * width) {
            const int64_t middle = low + width < n ? low + width : n, high = middle + width < n ? middle + width : n;
            int64_t a = low, b = middle;
            for (int64_t i = low; i < high; i++) {
                const bool left = a < middle && (b >= high || length[item[a]] <= length[item[b]]);
                space[i] = left ? item[a++] : item[b++];
            }
        }
        memcpy(item, space, (size_t)n * sizeof *item);
    }
}

/* cut[b]: where batch b begins. By weight: as near to b equal shares as whole examples allow. */
static void cut_batches(const Order *o, const OrderWindow *w, int64_t batches)
{
    int64_t total = 0, sum = 0, at = 0;
    for (int64_t i = 0; w->weight && i < w->n; i++) total += w->weight[i];
    w->cut[0] = 0;
    w->cut[batches] = w->n;
    for (int64_t b = 1; b < batches; b++) {
        if (!w->weight) {
            w->cut[b] = b * o->batch;
            continue;
        }
        const int64_t goal = total / batches * b + total % batches * b / batches, last = w->n - (batches - b);
        while (at < last && (at == w->cut[b - 1] || 2 * sum + w->weight[w->item[at]] <= 2 * goal))
            sum += w->weight[w->item[at++]];
        w->cut[b] = at;
    }
}

/* Lay the batches of sorted items in a shuffled order: whole batches one after the other into space, then back. */
static void shuffle_batches(RandomKey key, uint64_t row, int64_t batches, const OrderWindow *w)
{
    int64_t at = 0, *start = w->start;
    for (int64_t b = 0; b < batches; b++) start[b] = b;
    shuffle(key, row, batches, start);
    for (int64_t b = 0; b < batches; b++) {
        const int64_t from = w->cut[start[b]], size = w->cut[start[b] + 1] - from;
        memcpy(w->space + at, w->item + from, (size_t)size * sizeof *w->item);
        start[b] = at;
        at += size;
    }
    start[batches] = w->n;
    memcpy(w->item, w->space, (size_t)w->n * sizeof *w->item);
}

void order_window(const Order *o, int64_t epoch, int64_t window, const OrderWindow *w)
{
    const int64_t batches = divide_up(w->n, o->batch);
    const RandomKey key = random_key(o->seed, RANDOM_ORDER, (uint64_t)epoch);
    const uint64_t row = ROW_WINDOW + 2 * (uint64_t)window;
    const bool sorted = o->shuffle && w->length;
    for (int64_t i = 0; i < w->n; i++) w->item[i] = i;
    if (o->shuffle) shuffle(key, row, w->n, w->item);
    if (sorted) sort_by_length(w->n, w->length, w->item, w->space);
    cut_batches(o, w, batches);
    if (sorted && w->n > 0)
        shuffle_batches(key, row + ROW_BATCHES, batches, w);
    else
        memcpy(w->start, w->cut, (size_t)(batches + 1) * sizeof *w->start);
}
