/* entropy.c - of the rows of a view. */
#include "io/attention/entropy.h"

#include <math.h>

/* Parts of one row of the view that sum to 1 by themselves. */
static int64_t parts_of(const AttentionExample *e, const AttentionView *v)
{
    return v->columns.by_sentence ? e->field[v->columns.field].n_sentences : v->columns.size > 0;
}

int64_t entropy_rows(const AttentionExample *e, const AttentionView *v) { return v->rows.size * parts_of(e, v); }

/* Weights that sum to 1 but for rounding are taken as they are: H = -sum w log w, and 0 log 0 = 0. */
double entropy_of_row(const AttentionExample *e, const AttentionView *v, int64_t r, double *share)
{
    const int64_t parts = parts_of(e, v), begin = parts ? r / parts * v->columns.size : 0;
    int64_t first = begin, end = begin + v->columns.size;
    if (v->columns.by_sentence) {
        const int64_t *sentence = e->field[v->columns.field].sentence + r % parts;
        first = begin + sentence[0], end = begin + sentence[1];
    }
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
