/* scaled_dot.c - e = s . h / sqrt(D), so that its spread does not grow with the width D (Vaswani 2017). */
#include <math.h>

#include "trainer/attention/score/score.h"

static Status build(Score *s, Params *ps)
{
    (void)ps;
    return score_same_widths(s);
}

static real scale(const ScoreRun *r) { return (real)(1 / sqrt((double)r->score->size.width)); }

static void forward(ScoreRun *r, const ScoreBlock *b)
{
    score_products(r, b, scale(r), r->key, r->score->size.width, b->query, b->ld_query);
}

/* ds = sum_j de_j h_j / sqrt(D), and at the end dh_j = sum de_j s / sqrt(D) */
static void backward(ScoreRun *r, const ScoreBlock *b)
{
    score_products_backward(r, b, scale(r), r->key, r->score->size.width, b->d_query, b->ld_query);
}

static Status finish(ScoreRun *r, real *d_key)
{
    return score_gather(r, scale(r), r->de, r->query, r->score->size.width, d_key);
}

const ScoreDef score_scaled_dot = {
    .component = {.name = "scaled_dot", .help = "s . h / sqrt(D), both of one width.", .source = "Vaswani 2017"},
    .learnt = {.name = "context", .scale = 1},
    .build = build,
    .forward = forward,
    .backward = backward,
    .finish = finish};
