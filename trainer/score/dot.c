/* dot.c - e = s . h (Luong 2015). */
#include "trainer/score/score.h"

static Status build(Score *s, Params *ps)
{
    return score_param(s, ps, 0, "context", "the query", SHAPE2(1, s->size.width), INIT_NORMAL, 0.1);
}

static Node *forward(const Score *s, Tape *t, Node *h, Segments keys)
{
    (void)keys;
    return op_linear_nt(t, h, score_node(s, t, 0));
}

const ScoreDef score_dot = {"dot", "s . h", "Luong 2015", build, forward, NULL, false};
