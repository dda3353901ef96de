/* concat.c - e = v . tanh(W [s ; h]) (Luong 2015). W [s ; h] = W_s s + W_h h: the first part is made once. */
#include "trainer/score/score.h"

enum { S, WS, WH, V };

static Status build(Score *s, Params *ps)
{
    const int64_t D = s->size.width, A = s->size.attend;
    TRY(score_param(s, ps, S, "query", "the query", SHAPE2(1, D), INIT_NORMAL, 0.1));
    TRY(score_param(s, ps, WS, "W_query", "query to hidden: rows are inputs", SHAPE2(D, A), INIT_XAVIER, 1));
    TRY(score_param(s, ps, WH, "W", "keys to hidden: rows are inputs", SHAPE2(D, A), INIT_XAVIER, 1));
    return score_param(s, ps, V, "context", "what the hidden layer is compared with", SHAPE2(1, A), INIT_NORMAL, 0.1);
}

static void additive(const Score *s, Tape *t, Node **w, Node **b, Node **v)
{
    *w = score_node(s, t, WH);
    *b = op_linear(t, score_node(s, t, S), score_node(s, t, WS), NULL);
    *v = score_node(s, t, V);
}

static Node *forward(const Score *s, Tape *t, Node *h, Segments keys)
{
    Node *w, *b, *v;
    (void)keys;
    additive(s, t, &w, &b, &v);
    return op_linear_nt(t, op_tanh(t, op_linear(t, h, w, b)), v);
}

const ScoreDef score_concat = {"concat", "v . tanh(W [s ; h])", "Luong 2015", build, forward, additive, false};
