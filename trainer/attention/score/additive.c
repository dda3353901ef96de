/* additive.c - e = v . tanh(W s + U h + b), with coverage v . tanh(W s + U h_j + b + coverage_j c) (Bahdanau 2015, Tu
 * 2016).
 *
 * A learnt query's share W s is one vector for all keys, so it is part of b, and no query is needed: this is the
 * attention of Yang 2016. */
#include "trainer/attention/score/score.h"

static Status build(Score *s, Params *ps)
{
    const int64_t D = s->size.width, A = s->hidden, m = s->size.query;
    const bool learnt = s->size.learnt;
    if (!learnt)
        TRY(score_param(s, ps, HIDDEN_W, "W", "query to hidden: rows are inputs", SHAPE2(m, A), INIT_XAVIER, 1));
    TRY(score_param(s, ps, HIDDEN_U, learnt ? "W" : "U", "keys to hidden: rows are inputs", SHAPE2(D, A), INIT_XAVIER,
                    1));
    TRY(score_param(s, ps, HIDDEN_B, "b", "bias of the hidden layer", SHAPE1(A), INIT_ZERO, 0));
    TRY(score_hidden_vector(s, ps));
    return score_coverage_param(s, ps);
}

const ScoreDef score_additive = {.component = {.name = "additive",
                                               .help = "v . tanh(W s + U h + b).",
                                               .source = "Bahdanau 2015, Yang 2016",
                                               SCORE_HIDDEN},
                                 .hidden = true,
                                 .build = build,
                                 .open = score_hidden_open,
                                 .forward = score_hidden_forward,
                                 .backward = score_hidden_backward,
                                 .finish = score_hidden_finish};
