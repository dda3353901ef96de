/* dot.c - e = s . h (Luong 2015). */
#include "trainer/attention/score/steps.h"

static Status build(Score *s, Params *ps)
{
    return score_param(s, ps, 0, "context", "the query", SHAPE2(1, s->size.width), INIT_NORMAL, 0.1);
}

static Node *forward(const Score *s, Tape *t, Node *h, Segments keys)
{
    (void)keys;
    return op_linear_nt(t, h, score_node(s, t, 0));
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

static void step(ScoreRun *r, const ScoreStep *s)
{
    score_products(r, s, 1, r->key, r->score->size.width, s->query, s->ld_query);
}

/* ds = sum_j de_j h_j, and at the end dh_j = sum de_j s */
static void step_backward(ScoreRun *r, const ScoreStep *s)
{
    score_products_backward(r, s, 1, r->key, r->score->size.width, s->d_query, s->ld_query);
}

static Status finish(ScoreRun *r, real *d_key)
{
    return score_gather(r, 1, r->de, r->query, r->score->size.width, d_key);
}

static const ScoreSteps steps = {
    .build = build_steps, .open = open, .forward = step, .backward = step_backward, .finish = finish};

const ScoreDef score_dot = {.name = "dot",
                            .help = "s . h, both of one width",
                            .source = "Luong 2015",
                            .build = build,
                            .forward = forward,
                            .steps = &steps};
