/* evenly.c - all positions in range alike: a_j = 1 / n. */
#include "trainer/attention/select/select.h"

static void forward(const void *settings, SelectRow *r)
{
    (void)settings;
    for (int64_t i = 0; i < r->n; i++) r->weight[i] = 1 / (real)r->n;
}

/* The weights do not hang on the scores. */
static void backward(const void *settings, const SelectRow *r, const real *d_weight, real *d_score)
{
    (void)settings, (void)r, (void)d_weight, (void)d_score;
}

const SelectDef select_evenly = {
    .component = {.name = "evenly", .help = "all positions in range alike."}, .forward = forward, .backward = backward};
