/* scaled_dot.c - e = s . h / sqrt(D), so that its spread does not grow with the width D (Vaswani 2017). */
#include <math.h>

#include "trainer/score/score.h"

static Status build(Score *s, Params *ps)
{
    return score_param(s, ps, 0, "context", "the query", SHAPE2(1, s->size.width), INIT_NORMAL, 1);
}

static Node *forward(const Score *s, Tape *t, Node *h, Segments keys)
{
    (void)keys;
    return op_scale(t, op_linear_nt(t, h, score_node(s, t, 0)), (real)(1 / sqrt((double)s->size.width)));
}

const ScoreDef score_scaled_dot = {"scaled_dot", "s . h / sqrt(D)", "Vaswani 2017", build, forward, NULL, false};
