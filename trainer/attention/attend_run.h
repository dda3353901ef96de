/* attend_run.h - an attention over one batch, as forward leaves it for backward. Only for trainer/layer/attend*.c.
 *
 * Records of a slot: K rows of as many numbers as its example has keys, at score_record. */
#ifndef TRAINER_ATTENTION_ATTEND_RUN_H
#define TRAINER_ATTENTION_ATTEND_RUN_H
#include "trainer/attention/attend.h"

struct AttendRun {
    const Attend *a;
    AttendBatch batch;
    SelectSettings selection; /* at this step of the training */
    ScoreRun score;
    RangeRun range;
    int64_t heads;      /* K */
    int64_t *first, *n; /* (slots) windows */
    real *chosen;       /* what the selection gave, 0 outside the window */
    real *weight;       /* the same times the Gaussian; the same memory where there is none */
    real *kept;         /* the selection's; NULL: it keeps nothing */
    real *coverage;     /* (slots, longest) before the step; NULL: no coverage, or no backward */
    real *d_context;    /* (slots, K n) */
    double penalty;     /* so far */

    real d_penalty; /* backward */
    const real *reward;
    real *d_coverage; /* (N) */
    real **before;    /* (slots) coverage and its gradient, of a step's rows */
    real **d_before;
    real *d_centre; /* (slots) */
    real *line;     /* scratch (K + 2, longest) */
};

/* log g_j = -(j - p)^2 / (2 sigma^2), sigma = D / 2, for j = first .. first + n - 1 */
void attend_log_gaussian(const AttendRun *r, int64_t slot, real *out);
/* What the selection needs to know of head k of a slot; score and weight are set. */
SelectRow attend_select_row(const AttendRun *r, int64_t slot, int64_t k, int64_t step, real *log_gaussian);
/* sum of squares of A A^T - I, A (K, keys) of a slot; da (K, keys) += scale times its gradient, unless NULL */
double attend_orthogonality(const AttendRun *r, int64_t slot, real scale, real *da);

/* The weight that a slot should have much of, NULL: it is not told where to look. Rounding may leave a weight at 0. */
#define ATTEND_LEAST 1e-30
static inline const real *attend_guided(const AttendRun *r, int64_t slot)
{
    const bool told = r->a->settings.guide > 0 && r->batch.wanted && r->batch.wanted[slot] >= 0;
    return told ? r->weight + score_record(&r->score, slot) + r->batch.wanted[slot] : NULL;
}

static inline int64_t attend_keys(const AttendRun *r, int64_t slot)
{
    const int64_t *at = r->score.keys.offset + r->score.sentence[slot];
    return at[1] - at[0];
}

/* The Gaussian is part of what is chosen from, not a factor of the weights. */
static inline bool attend_gaussian_inside(const Attend *a) { return a->range.def->gaussian && a->select->chooses; }
static inline bool attend_gaussian_outside(const Attend *a) { return a->range.def->gaussian && !a->select->chooses; }

#endif
