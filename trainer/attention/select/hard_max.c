/* hard_max.c - all weight to the highest score, the first of equal ones; learnt by a straight-through gradient.
 *
 * The choice has no derivative, so backward takes that of softmax(e) in its place: a = p + (one-hot - p), where the
 * bracket counts as a constant. Bengio 2013 also tries the identity; but the choice does not change when a number is
 * added to all scores, and only with the Jacobian of the softmax the gradient sums to 0 and so respects that. */
#include <string.h>

#include "trainer/attention/select/select.h"
#include "trainer/core/kernel.h"

/* a_j = 1 for the first j with the largest e_j, else 0. Kept: p = softmax(e). */
static void forward(const void *settings, SelectRow *r)
{
    (void)settings;
    if (r->n == 0) return;
    if (r->kept) kernels()->softmax(r->n, r->score, r->kept);
    select_one(r->n, select_largest(r->n, r->score), r->weight);
}

/* de_j = p_j (da_j - sum_k p_k da_k) */
static void backward(const void *settings, const SelectRow *r, const real *d_weight, real *d_score)
{
    (void)settings;
    kernels()->softmax_backward(r->n, r->kept, d_weight, d_score);
}

const SelectDef select_hard_max = {.component = {.name = "hard_max",
                                                 .help = "one-hot at the highest score; straight-through gradient.",
                                                 .source = "Bengio 2013"},
                                   .keeps = true,
                                   .chooses = true,
                                   .forward = forward,
                                   .backward = backward};
