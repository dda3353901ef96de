/* additive.c - e = v . tanh(W h + b). The learnt query's share W s of Bahdanau 2015 is one vector for all keys, so it
 * is part of b: this is the attention of Yang 2016. */
#include "trainer/score/score.h"

enum { W, B, V };

static Status build(Score *s, Params *ps)
{
    const int64_t D = s->size.width, A = s->size.attend;
    TRY(score_param(s, ps, W, "W", "keys to hidden: rows are inputs", SHAPE2(D, A), INIT_XAVIER, 1));
    TRY(score_param(s, ps, B, "b", "bias of the hidden layer", SHAPE1(A), INIT_ZERO, 0));
    return score_param(s, ps, V, "context", "what the hidden layer is compared with", SHAPE2(1, A), INIT_NORMAL, 0.1);
}

static void additive(const Score *s, Tape *t, Node **w, Node **b, Node **v)
{
    *w = score_node(s, t, W);
    *b = score_node(s, t, B);
    *v = score_node(s, t, V);
}

static Node *forward(const Score *s, Tape *t, Node *h, Segments keys)
{
    Node *w, *b, *v;
    (void)keys;
    additive(s, t, &w, &b, &v);
    return op_linear_nt(t, op_tanh(t, op_linear(t, h, w, b)), v);
}

const ScoreDef score_additive = {"additive", "v . tanh(W h + b)", "Bahdanau 2015, Yang 2016", build, forward, additive,
                                 false};
