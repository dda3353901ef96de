/* entropy.c - of the rows of a view. */
#include "io/attention/entropy.h"

#include <math.h>

int64_t entropy_rows(const AttentionExample *e, const AttentionView *v)
{
    switch (v->over) {
    case ATTENTION_WORDS: return e->n_sentences;
    case ATTENTION_PAIRS: return e->target.n;
    default: return v->n > 0;
    }
}

/* Weights that sum to 1 but for rounding are taken as they are: H = -sum w log w, and 0 log 0 = 0. */
double entropy_of_row(const AttentionExample *e, const AttentionView *v, int64_t r, double *share)
{
    int64_t first = 0, end = v->n;
    if (v->over == ATTENTION_WORDS) first = e->sentence[r], end = e->sentence[r + 1];
    if (v->over == ATTENTION_PAIRS) first = r * e->words.n, end = first + e->words.n;
    double h = 0, all = 0;
    for (int64_t i = first; i < end; i++) {
        const double w = v->weight[i];
        all += w;
        if (w > 0) h -= w * log(w);
    }
    *share = all > 0 ? 0 : -1;
    if (!(all > 0)) return -1;
    h = fmax(h, 0);
    if (end - first > 1) *share = h / log((double)(end - first));
    return h;
}

Entropy entropy_of_view(const AttentionExample *e, const AttentionView *v)
{
    Entropy sum = {0};
    for (int64_t r = 0; r < entropy_rows(e, v); r++) {
        double share;
        const double h = entropy_of_row(e, v, r, &share);
        if (h < 0) continue;
        sum.rows++;
        sum.sum += h;
        sum.share += share;
    }
    return sum;
}

double entropy_mean(const Entropy *e) { return e->rows ? e->sum / (double)e->rows : 0; }

double entropy_mean_share(const Entropy *e) { return e->rows ? e->share / (double)e->rows : 0; }
