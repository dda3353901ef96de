/* soft.c - softmax: a_j = exp(e_j) / sum_k exp(e_k). */
#include "trainer/attention/select/select.h"
#include "trainer/core/kernel.h"

static void forward(const void *settings, SelectRow *r)
{
    (void)settings;
    if (r->n > 0) kernels()->softmax(r->n, r->score, r->weight);
}

/* de_j = a_j (da_j - sum_k a_k da_k) */
static void backward(const void *settings, const SelectRow *r, const real *d_weight, real *d_score)
{
    (void)settings;
    kernels()->softmax_backward(r->n, r->weight, d_weight, d_score);
}

const SelectDef select_soft = {
    .component = {.name = "soft", .help = "softmax over the positions in range.", .source = "Bahdanau 2015"},
    .forward = forward,
    .backward = backward};
