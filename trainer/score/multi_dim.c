/* multi_dim.c - K scores a key: e_k = tanh(u^T W_k h), k = 1..K (Lin 2017). The K contexts are laid side by side. */
#include "trainer/score/score.h"

enum { U, W };

static Status build(Score *s, Params *ps)
{
    const int64_t D = s->size.width, A = s->size.attend, K = s->size.rows;
    TRY(score_param(s, ps, U, "context", "the query u", SHAPE2(1, A), INIT_NORMAL, 1));
    return score_param(s, ps, W, "W", "query to keys: rows are the query's, columns K blocks of the keys' width",
                       SHAPE2(A, K * D), INIT_XAVIER, 1);
}

/* (u^T W_1 ; ... ; u^T W_K) once, (K,D); then one product a key */
static Node *forward(const Score *s, Tape *t, Node *h, Segments keys)
{
    (void)keys;
    Node *wanted = op_linear(t, score_node(s, t, U), score_node(s, t, W), NULL);
    return op_tanh(t, op_linear_nt(t, h, op_reshape(t, wanted, SHAPE2(s->size.rows, s->size.width))));
}

const ScoreDef score_multi_dim = {
    "multi_dim", "K scores tanh(u^T W_k h), contexts side by side", "Lin 2017", build, forward, NULL, true};
