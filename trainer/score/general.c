/* general.c - e = s^T W h, where query and key may differ in width (Luong 2015). */
#include "trainer/score/score.h"

enum { S, W };

static Status build(Score *s, Params *ps)
{
    const int64_t D = s->size.width, A = s->size.attend;
    TRY(score_param(s, ps, S, "context", "the query", SHAPE2(1, A), INIT_NORMAL, 0.1));
    return score_param(s, ps, W, "W", "query to keys: rows are the query's", SHAPE2(A, D), INIT_XAVIER, 1);
}

/* (s^T W) once, then one product a key */
static Node *forward(const Score *s, Tape *t, Node *h, Segments keys)
{
    (void)keys;
    return op_linear_nt(t, h, op_linear(t, score_node(s, t, S), score_node(s, t, W), NULL));
}

const ScoreDef score_general = {"general", "s^T W h", "Luong 2015", build, forward, NULL, false};
