/* sparsemax.c - the point of the simplex that is nearest to the scores: many weights are exactly 0 (Martins 2016). */
#include "trainer/attention/select/select.h"

/* a_j = max(0, e_j - tau), tau so that they sum to 1. With the scores in descending order z_1 >= z_2 ... the support
 * are the k largest with 1 + k z_k > sum_{i <= k} z_i, and tau = (their sum - 1) / k. No score more than 1 below the
 * highest can have weight. */
static void forward(const void *settings, SelectRow *r)
{
    (void)settings;
    if (r->n == 0) return;
    const real top = r->score[select_largest(r->n, r->score)];
    const int64_t n = select_descending(r->n, r->score, 1, r->weight);
    double sum = 0, tau = -1;
    for (int64_t k = 0; k < n; k++) {
        const double z = (double)r->weight[k];
        sum += z;
        if (1 + (double)(k + 1) * z <= sum) break;
        tau = (sum - 1) / (double)(k + 1);
    }
    for (int64_t i = 0; i < r->n; i++) {
        const double w = (double)(r->score[i] - top) - tau;
        r->weight[i] = w <= 0 ? 0 : (real)w;
    }
}

/* de_j = da_j - (mean of da over the support) on the support, 0 elsewhere */
static void backward(const void *settings, const SelectRow *r, const real *d_weight, real *d_score)
{
    (void)settings;
    double sum = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < r->n; i++) {
        if (r->weight[i] == 0) continue;
        sum += (double)d_weight[i];
        count++;
    }
    for (int64_t i = 0; i < r->n; i++)
        if (r->weight[i] != 0) d_score[i] += (real)((double)d_weight[i] - sum / (double)count);
}

const SelectDef select_sparsemax = {.component = {.name = "sparsemax",
                                                  .help = "projection of the scores on the simplex: sparse weights.",
                                                  .source = "Martins 2016"},
                                    .forward = forward,
                                    .backward = backward};
