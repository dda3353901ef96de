/* mean_dot.c - e = s . h / D, the mean of the products. */
#include "trainer/attention/score/score.h"

static Status build(Score *s, Params *ps)
{
    (void)ps;
    return score_same_widths(s);
}

static real scale(const ScoreRun *r) { return 1 / (real)r->score->size.width; }

static void forward(ScoreRun *r, const ScoreBlock *b)
{
    score_products(r, b, scale(r), r->key, r->score->size.width, b->query, b->ld_query);
}

/* ds = sum_j de_j h_j / D, and at the end dh_j = sum de_j s / D */
static void backward(ScoreRun *r, const ScoreBlock *b)
{
    score_products_backward(r, b, scale(r), r->key, r->score->size.width, b->d_query, b->ld_query);
}

static Status finish(ScoreRun *r, real *d_key)
{
    return score_gather(r, scale(r), r->de, r->query, r->score->size.width, d_key);
}

const ScoreDef score_mean_dot = {.component = {.name = "mean_dot", .help = "s . h / D, both of one width."},
                                 .learnt = {.name = "context", .scale = 1},
                                 .build = build,
                                 .forward = forward,
                                 .backward = backward,
                                 .finish = finish};
