/* dot.c - e = s . h (Luong 2015). */
#include "trainer/attention/score/score.h"

static Status build(Score *s, Params *ps)
{
    (void)ps;
    return score_same_widths(s);
}

static void forward(ScoreRun *r, const ScoreBlock *b)
{
    score_products(r, b, 1, r->key, r->score->size.width, b->query, b->ld_query);
}

/* ds = sum_j de_j h_j, and at the end dh_j = sum de_j s */
static void backward(ScoreRun *r, const ScoreBlock *b)
{
    score_products_backward(r, b, 1, r->key, r->score->size.width, b->d_query, b->ld_query);
}

static Status finish(ScoreRun *r, real *d_key)
{
    return score_gather(r, 1, r->de, r->query, r->score->size.width, d_key);
}

const ScoreDef score_dot = {.component = {.name = "dot", .help = "s . h, both of one width.", .source = "Luong 2015"},
                            .learnt = {.name = "context", .scale = 0.1},
                            .build = build,
                            .forward = forward,
                            .backward = backward,
                            .finish = finish};
