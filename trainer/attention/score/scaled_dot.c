/* scaled_dot.c - e = s . h / sqrt(D), so that its spread does not grow with the width D (Vaswani 2017). */
#include <math.h>

#include "trainer/attention/score/steps.h"

static Status build(Score *s, Params *ps)
{
    return score_param(s, ps, 0, "context", "the query", SHAPE2(1, s->size.width), INIT_NORMAL, 1);
}

static Node *forward(const Score *s, Tape *t, Node *h, Segments keys)
{
    (void)keys;
    return op_scale(t, op_linear_nt(t, h, score_node(s, t, 0)), (real)(1 / sqrt((double)s->size.width)));
}

static Status build_steps(Score *s, Params *ps)
{
    (void)ps;
    return score_same_widths(s);
}

static Status open(ScoreRun *r)
{
    (void)r;
    return OK;
}

static real scale(const ScoreRun *r) { return (real)(1 / sqrt((double)r->score->size.width)); }

static void step(ScoreRun *r, const ScoreStep *s)
{
    score_products(r, s, scale(r), r->key, r->score->size.width, s->query, s->ld_query);
}

/* ds = sum_j de_j h_j / sqrt(D), and at the end dh_j = sum de_j s / sqrt(D) */
static void step_backward(ScoreRun *r, const ScoreStep *s)
{
    score_products_backward(r, s, scale(r), r->key, r->score->size.width, s->d_query, s->ld_query);
}

static Status finish(ScoreRun *r, real *d_key)
{
    return score_gather(r, scale(r), r->de, r->query, r->score->size.width, d_key);
}

static const ScoreSteps steps = {
    .build = build_steps, .open = open, .forward = step, .backward = step_backward, .finish = finish};

const ScoreDef score_scaled_dot = {.name = "scaled_dot",
                                   .help = "s . h / sqrt(D), both of one width",
                                   .source = "Vaswani 2017",
                                   .build = build,
                                   .forward = forward,
                                   .steps = &steps};
