/* entropy.h - how spread out attention is: -sum w log w over the places of one query, in nats and as a share of log n,
 * which is 1 for equal weights.
 *
 * A row is what sums to 1: a row of the view, or in it the words of each sentence by themselves. Rows without weight
 * (nothing to look at) count in no mean. */
#ifndef IO_ATTENTION_ENTROPY_H
#define IO_ATTENTION_ENTROPY_H
#include "io/attention/attention.h"

typedef struct Entropy {
    int64_t rows;      /* that have weight */
    double sum, share; /* over these rows: of the entropies, and of the shares of log n */
} Entropy;

int64_t entropy_rows(const AttentionExample *e, const AttentionView *v);
/* Of row r in nats; *share of log n (0 when there is one place); both -1 when it has no weight. */
double entropy_of_row(const AttentionExample *e, const AttentionView *v, int64_t r, double *share);
Entropy entropy_of_view(const AttentionExample *e, const AttentionView *v);
double entropy_mean(const Entropy *e);       /* 0 without rows */
double entropy_mean_share(const Entropy *e); /* 0 without rows */

#endif
