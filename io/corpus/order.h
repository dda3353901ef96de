/* order.h - which examples make up batch b of epoch e: a function of the seed, the epoch and the settings here.
 *
 * Blocks of consecutive examples stand in an order that the epoch chooses. The sequence is cut into windows of whole
 * batches; within a window examples are shuffled, sorted by length when there is bucketing, cut into batches, and the
 * batches are shuffled. No shard, rank or memory has a say, and any window is found in O(1): so batches of like weight
 * (words) come from cutting a window, whose number of examples is fixed, into a fixed number of pieces. */
#ifndef IO_CORPUS_ORDER_H
#define IO_CORPUS_ORDER_H
#include "comm/random.h"
#include "comm/status.h"

typedef struct Order {
    uint64_t seed;
    int64_t examples, batch, window; /* batch: examples, the mean when they are cut by weight; window: batches */
    bool shuffle;
    int64_t block; /* consecutive examples that stay together until their window is shuffled */
} Order;

Order order_of(uint64_t seed, int64_t examples, int64_t batch, int64_t window, bool shuffle);
int64_t order_batches(const Order *o); /* an epoch */
int64_t order_windows(const Order *o);
/* Examples of a window, and where it begins in the sequence. */
int64_t order_window_size(const Order *o, int64_t window, int64_t *start);

/* A run of consecutive examples. */
typedef struct OrderRun {
    int64_t first, n;
} OrderRun;
/* The longest run that begins at position at (< examples) of the epoch's sequence. */
OrderRun order_run(const Order *o, int64_t epoch, int64_t at);

/* A window of n examples, place 0 .. n - 1. */
typedef struct OrderWindow {
    int64_t n;
    const int64_t *length; /* (n) sorts them; NULL: no bucketing */
    const int64_t *weight; /* (n) batches are of nearly the same weight; NULL: of the same number of examples */
    int64_t *item;         /* (n) out: place of the i-th example, batch after batch as they will be used */
    int64_t *start;        /* (batches + 1) out: batch b is item[start[b] .. start[b + 1]), one example or more */
    int64_t *space, *cut;  /* (n), (batches + 1) to work in */
} OrderWindow;
void order_window(const Order *o, int64_t epoch, int64_t window, const OrderWindow *w);

#endif
