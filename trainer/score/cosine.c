/* cosine.c - e = beta cos(s, h), beta = exp(log_beta) > 0 (content addressing of Graves 2014). */
#include "trainer/score/score.h"

enum { S, BETA };

static Status build(Score *s, Params *ps)
{
    TRY(score_param(s, ps, S, "context", "the query", SHAPE2(1, s->size.width), INIT_NORMAL, 0.1));
    return score_param(s, ps, BETA, "log_beta", "logarithm of the sharpness beta", SHAPE1(1), INIT_CONSTANT, 1);
}

static Node *forward(const Score *s, Tape *t, Node *h, Segments keys)
{
    (void)keys;
    Node *cosine = op_linear_nt(t, op_unit_rows(t, h), op_unit_rows(t, score_node(s, t, S)));
    return op_scale_by(t, cosine, op_exp(t, score_node(s, t, BETA)));
}

const ScoreDef score_cosine = {"cosine", "beta cos(s, h), beta > 0 learnt", "Graves 2014", build, forward, NULL, false};
