/* mlp.c - e = sigmoid(w2 . tanh(W1 [s ; h] + b1) + b2): between 0 and 1, so no key can be left out entirely. */
#include "trainer/score/score.h"

enum { S, WS, WH, B1, W2, B2 };

static Status build(Score *s, Params *ps)
{
    const int64_t D = s->size.width, A = s->size.attend;
    TRY(score_param(s, ps, S, "query", "the query", SHAPE2(1, D), INIT_NORMAL, 0.1));
    TRY(score_param(s, ps, WS, "W1_query", "query to hidden: rows are inputs", SHAPE2(D, A), INIT_XAVIER, 1));
    TRY(score_param(s, ps, WH, "W1", "keys to hidden: rows are inputs", SHAPE2(D, A), INIT_XAVIER, 1));
    TRY(score_param(s, ps, B1, "b1", "bias of the hidden layer", SHAPE2(1, A), INIT_ZERO, 0));
    TRY(score_param(s, ps, W2, "w2", "hidden to score", SHAPE2(A, 1), INIT_XAVIER, 1));
    return score_param(s, ps, B2, "b2", "bias of the score", SHAPE1(1), INIT_ZERO, 0);
}

static Node *forward(const Score *s, Tape *t, Node *h, Segments keys)
{
    (void)keys;
    Node *bias = op_add(t, op_linear(t, score_node(s, t, S), score_node(s, t, WS), NULL), score_node(s, t, B1));
    Node *hidden = op_tanh(t, op_linear(t, h, score_node(s, t, WH), bias));
    return op_sigmoid(t, op_linear(t, hidden, score_node(s, t, W2), score_node(s, t, B2)));
}

const ScoreDef score_mlp = {"mlp", "sigmoid(w2 . tanh(W1 [s ; h] + b1) + b2)", "survey form", build, forward, NULL,
                            false};
