/* entmax15.c - 1.5-entmax: between softmax and sparsemax, sparse and smooth where its support does not change
 * (Peters 2019). */
#include <math.h>

#include "trainer/attention/select/select.h"

/* a_j = max(0, z_j - tau)^2 with z = e / 2, tau so that they sum to 1. Over the k largest z, with mean m and sum of
 * squared deviations q, tau_k = m - sqrt((1 - q) / k); the support are the largest k with tau_k <= z_k, q <= 1.
 * No z more than 1 below the highest, no score more than 2, can have weight. */
static void forward(const void *settings, SelectRow *r)
{
    (void)settings;
    if (r->n == 0) return;
    const real top = r->score[select_largest(r->n, r->score)];
    const int64_t n = select_descending(r->n, r->score, 2, r->weight);
    double mean = 0, deviation = 0, tau = -1;
    for (int64_t k = 0; k < n; k++) { /* running mean and deviations (Welford 1962): nothing cancels */
        const double z = (double)r->weight[k] / 2, off = z - mean;
        mean += off / (double)(k + 1);
        deviation += off * (z - mean);
        const double rest = (1 - deviation) / (double)(k + 1);
        if (rest < 0 || mean - sqrt(rest) > z) break;
        tau = mean - sqrt(rest);
    }
    for (int64_t i = 0; i < r->n; i++) {
        const double root = (double)(r->score[i] - top) / 2 - tau;
        r->weight[i] = root <= 0 ? 0 : (real)(root * root);
    }
}

/* With g_j = sqrt(a_j): de_j = g_j (da_j - sum_k g_k da_k / sum_k g_k) */
static void backward(const void *settings, const SelectRow *r, const real *d_weight, real *d_score)
{
    (void)settings;
    double sum = 0, total = 0;
    for (int64_t i = 0; i < r->n; i++) {
        const double g = sqrt((double)r->weight[i]);
        sum += g * (double)d_weight[i];
        total += g;
    }
    for (int64_t i = 0; i < r->n; i++)
        if (r->weight[i] != 0) d_score[i] += (real)(sqrt((double)r->weight[i]) * ((double)d_weight[i] - sum / total));
}

const SelectDef select_entmax15 = {.component = {.name = "entmax15",
                                                 .help = "1.5-entmax: sparse weights, smoother than sparsemax.",
                                                 .source = "Peters 2019"},
                                   .forward = forward,
                                   .backward = backward};
