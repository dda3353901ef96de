/* select.h - the family of selections: how the scores of one query become weights.
 *
 * A function of one row: the scores of the positions that the query may see (masked positions are not in it, n = 0 is
 * allowed and gives nothing). Weights are >= 0 and sum to 1. A selection is one file and one line in the table. */
#ifndef TRAINER_ATTENTION_SELECT_SELECT_H
#define TRAINER_ATTENTION_SELECT_SELECT_H
#include <stdbool.h>

#include "comm/random.h"
#include "comm/status.h"
#include "io/config/schema.h"
#include "trainer/core/real.h"

/* Of a selection that learns from rewards, first in its settings. */
typedef struct RewardSettings {
    double reinforce, entropy; /* weights of the reward's and of the entropy's part of the gradient */
    double baseline_rate;      /* of the moving average that the reward is compared with */
} RewardSettings;

typedef struct SelectRow {
    int64_t n;
    const real *score; /* (n) */
    real *weight;      /* (n) out; in for backward */
    real *kept;        /* (n) what a selection that keeps something needs in backward; NULL: no backward will come */
    bool train;        /* draw; otherwise the most likely choice */
    double step;       /* of the training, from 0 */
    RandomKey key;     /* of the run's seed and step */
    uint64_t row;      /* of this query: its example and position; columns from `column` on are free to draw */
    uint64_t column;
    real reward; /* backward: log p(output) less the baseline, for hard_sample */
    real scale;  /* backward: what one row counts in the loss, as d_weight has it already; for reward and penalty */
} SelectRow;

typedef struct SelectDef {
    Component component;
    bool keeps;   /* needs SelectRow.kept */
    bool draws;   /* uses random numbers while training */
    bool rewards; /* learns from SelectRow.reward: its settings begin with RewardSettings */
    bool chooses; /* one position, or a relaxed choice of one, instead of a share for each */
    void (*forward)(const void *settings, SelectRow *r);
    /* d_score (n) += */
    void (*backward)(const void *settings, const SelectRow *r, const real *d_weight, real *d_score);
    /* What it adds to the loss for this row (entropy), before scale; NULL: nothing. Its gradient is in backward. */
    double (*penalty)(const void *settings, const SelectRow *r);
} SelectDef;

const Component *select_choice(int i); /* the family: NULL after the last */
const char *select_name(int i);
const SelectDef *select_find(const char *name); /* NULL when there is none */

/* For the files of selections. */
int64_t select_largest(int64_t n, const real *x);         /* the first of the largest; n >= 1 */
void select_one(int64_t n, int64_t chosen, real *weight); /* one-hot */
/* The differences x_i - max x above -reach, largest first, into out (n). Returns how many; n >= 1. */
int64_t select_descending(int64_t n, const real *x, real reach, real *out);

#endif
