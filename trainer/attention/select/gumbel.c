/* gumbel.c - softmax of noisy scores: a relaxed draw from softmax(e), whose gradient is exact (Jang 2017).
 *
 * With straight_through the weight is the one-hot of the highest noisy score, which is a draw from softmax(e), and
 * backward takes the gradient of the relaxed one. Without training there is no noise. */
#include <math.h>

#include "trainer/attention/select/select.h"
#include "trainer/core/kernel.h"

typedef struct Settings {
    double temperature, temperature_rate, temperature_least;
    bool straight_through;
} Settings;

static const Field fields[] = {
    FIELD(Settings, temperature, .preset = "1", .min = 0.001, .max = 1000, .help = "Temperature of the softmax."),
    FIELD(Settings, temperature_rate, .preset = "0", .min = 0, .max = 1,
          .help = "r of the temperature at step i, temperature exp(-r i) (Jang 2017)."),
    FIELD(Settings, temperature_least, .preset = "0.1", .min = 0.001, .max = 1000,
          .help = "The temperature falls no lower."),
    FIELD(Settings, straight_through, .preset = "false", .help = "One position forward, all of them backward."),
};

/* Of this step of the training. */
static double temperature(const Settings *s, const SelectRow *r)
{
    if (!r->train) return s->temperature;
    return fmax(fmin(s->temperature_least, s->temperature), s->temperature * exp(-s->temperature_rate * r->step));
}

/* out_j = (e_j + g_j) / tau, g = -log(-log u): Gumbel noise of u in (0, 1), four from each block of random bits. */
static void perturb(const Settings *s, const SelectRow *r, real *out)
{
    const double tau = temperature(s, r);
    uint32_t bits[4] = {0};
    for (int64_t i = 0; i < r->n; i++) {
        double noise = 0;
        if (r->train) {
            if (i % 4 == 0) random_bits(r->key, r->row, r->column + (uint64_t)(i / 4), bits);
            noise = -log(-log((bits[i % 4] + 0.5) * 0x1p-32));
        }
        out[i] = (real)(((double)r->score[i] + noise) / tau);
    }
}

/* y = softmax((e + g) / tau); a = y, or its one-hot. Kept: y. */
static void forward(const void *settings, SelectRow *r)
{
    const Settings *s = settings;
    if (r->n == 0) return;
    real *soft = r->kept ? r->kept : r->weight;
    perturb(s, r, soft);
    const int64_t chosen = select_largest(r->n, soft); /* before rounding in the softmax makes equals */
    kernels()->softmax(r->n, soft, soft);
    if (s->straight_through)
        select_one(r->n, chosen, r->weight);
    else
        for (int64_t i = 0; i < r->n; i++) r->weight[i] = soft[i];
}

/* de_j = y_j (da_j - sum_k y_k da_k) / tau */
static void backward(const void *settings, const SelectRow *r, const real *d_weight, real *d_score)
{
    const double tau = temperature(settings, r);
    double mean = 0;
    for (int64_t i = 0; i < r->n; i++) mean += (double)r->kept[i] * (double)d_weight[i];
    for (int64_t i = 0; i < r->n; i++) d_score[i] += (real)((double)r->kept[i] * ((double)d_weight[i] - mean) / tau);
}

const SelectDef select_gumbel = {
    .component = {.name = "gumbel",
                  .help = "softmax of scores with Gumbel noise while training, at a temperature.",
                  .source = "Jang 2017",
                  ROWS(fields, Settings)},
    .keeps = true,
    .chooses = true,
    .draws = true,
    .forward = forward,
    .backward = backward};
