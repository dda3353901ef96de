/* hard_sample.c - all weight to one position, drawn from p = softmax(e) while training; learnt by REINFORCE.
 *
 * Xu 2015, section 4.1. The loss is the expectation of -log p(y | a) over the choices a. Its gradient for the scores is
 * estimated from the one choice made: -r (one-hot(a) - p), r = log p(y | a) - b, where the baseline b, anything that
 * does not depend on a, changes only the variance. Nothing flows through the weight itself. */
#include <math.h>
#include <string.h>

#include "trainer/attention/select/select.h"
#include "trainer/core/kernel.h"

static const Field fields[] = {
    FIELD(RewardSettings, reinforce, .preset = "1", .min = 0, .max = 1000,
          .help = "Weight of the reward in the gradient."),
    FIELD(RewardSettings, entropy, .preset = "0.01", .min = 0, .max = 1000,
          .help = "Weight of the entropy that keeps it looking around."),
    FIELD(RewardSettings, baseline_rate, .preset = "0.01", .min = 0.000001, .max = 1,
          .help = "Share by which the baseline moves to the mean log probability of a step."),
};

/* The first position at which the running sum of p exceeds u; without rounding the sum reaches 1 > u. */
static int64_t draw(int64_t n, const real *p, double u)
{
    double sum = 0;
    int64_t last = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += (double)p[i];
        if (p[i] > 0) last = i;
        if (u < sum) return i;
    }
    return last;
}

/* a = one-hot(j), j drawn with probability p_j; without training the most probable. Kept: p. */
static void forward(const void *settings, SelectRow *r)
{
    (void)settings;
    if (r->n == 0) return;
    int64_t chosen = select_largest(r->n, r->score);
    if (r->train || r->kept) kernels()->softmax(r->n, r->score, r->weight);
    if (r->kept) memcpy(r->kept, r->weight, (size_t)r->n * sizeof *r->kept);
    if (r->train) chosen = draw(r->n, r->weight, random_uniform(r->key, r->row, r->column));
    select_one(r->n, chosen, r->weight);
}

/* H = -sum_j p_j log p_j */
static double entropy(int64_t n, const real *p)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        if (p[i] > 0) sum -= (double)p[i] * log((double)p[i]);
    return sum;
}

/* de_j = -lambda_r r (a_j - p_j) - lambda_e dH/de_j,  dH/de_j = -p_j (log p_j + H) */
static void backward(const void *settings, const SelectRow *r, const real *d_weight, real *d_score)
{
    const RewardSettings *s = settings;
    (void)d_weight;
    const double reward = s->reinforce * (double)r->reward * (double)r->scale;
    const double spread = s->entropy * (double)r->scale, h = spread != 0 ? entropy(r->n, r->kept) : 0;
    for (int64_t i = 0; i < r->n; i++) {
        const double p = (double)r->kept[i];
        const double surprise = spread != 0 && p > 0 ? p * (log(p) + h) : 0;
        d_score[i] += (real)(spread * surprise - reward * ((double)r->weight[i] - p));
    }
}

/* -lambda_e H: a loss is the smaller, the more open the choice stays */
static double penalty(const void *settings, const SelectRow *r)
{
    return -((const RewardSettings *)settings)->entropy * entropy(r->n, r->kept);
}

const SelectDef select_hard_sample = {
    .component = {.name = "hard_sample",
                  .help = "one-hot, drawn from the softmax while training; REINFORCE.",
                  .source = "Xu 2015, Mnih 2014",
                  ROWS(fields, RewardSettings)},
    .keeps = true,
    .chooses = true,
    .draws = true,
    .rewards = true,
    .forward = forward,
    .backward = backward,
    .penalty = penalty};
