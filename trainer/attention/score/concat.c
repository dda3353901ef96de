/* concat.c - e = v . tanh(W [s ; h]) (Luong 2015). W [s ; h] = W_s s + W_h h: the second part is made once a key. */
#include "trainer/attention/score/score.h"

/* W as one matrix: first the rows of the query, then those of the key. Beside a learnt query it is two. */
static Status build(Score *s, Params *ps)
{
    const int64_t D = s->size.width, A = s->hidden, m = s->size.query;
    if (s->size.learnt) {
        TRY(score_param(s, ps, HIDDEN_W, "W_query", "query to hidden: rows are inputs", SHAPE2(m, A), INIT_XAVIER, 1));
        TRY(score_param(s, ps, HIDDEN_U, "W", "keys to hidden: rows are inputs", SHAPE2(D, A), INIT_XAVIER, 1));
    } else
        TRY(score_param(s, ps, HIDDEN_U, "W", "query and key to hidden: rows are inputs", SHAPE2(m + D, A), INIT_XAVIER,
                        1));
    TRY(score_hidden_vector(s, ps));
    return score_coverage_param(s, ps);
}

const ScoreDef score_concat = {
    .component = {.name = "concat", .help = "v . tanh(W [s ; h]).", .source = "Luong 2015", SCORE_HIDDEN},
    .learnt = {.name = "query", .scale = 0.1},
    .hidden = true,
    .build = build,
    .open = score_hidden_open,
    .forward = score_hidden_forward,
    .backward = score_hidden_backward,
    .finish = score_hidden_finish};
