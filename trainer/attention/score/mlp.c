/* mlp.c - e = sigmoid(w2 . tanh(W1 [s ; h] + b1) + b2): between 0 and 1, so no key can be left out entirely. */
#include "trainer/attention/score/score.h"

enum { B2 = HIDDEN_PARAMS };

/* W1 as one matrix: first the rows of the query, then those of the key. Beside a learnt query it is two. Coverage
 * enters the hidden layer. */
static Status build(Score *s, Params *ps)
{
    const int64_t D = s->size.width, A = s->hidden, m = s->size.query;
    if (s->size.learnt) {
        TRY(score_param(s, ps, HIDDEN_W, "W1_query", "query to hidden: rows are inputs", SHAPE2(m, A), INIT_XAVIER, 1));
        TRY(score_param(s, ps, HIDDEN_U, "W1", "keys to hidden: rows are inputs", SHAPE2(D, A), INIT_XAVIER, 1));
    } else
        TRY(score_param(s, ps, HIDDEN_U, "W1", "query and key to hidden: rows are inputs", SHAPE2(m + D, A),
                        INIT_XAVIER, 1));
    TRY(score_param(s, ps, HIDDEN_B, "b1", "bias of the hidden layer", s->size.learnt ? SHAPE2(1, A) : SHAPE1(A),
                    INIT_ZERO, 0));
    TRY(score_param(s, ps, HIDDEN_V, "w2", "hidden to score", SHAPE2(A, 1), INIT_XAVIER, 1));
    TRY(score_param(s, ps, B2, "b2", "bias of the score", SHAPE1(1), INIT_ZERO, 0));
    return score_coverage_param(s, ps);
}

static void forward(ScoreRun *r, const ScoreBlock *b)
{
    score_hidden_forward(r, b);
    for (int64_t i = 0; i < b->rows; i++) {
        real *e = r->e + score_record(r, b->slot + i) + b->first[i];
        for (int64_t j = 0; j < b->n[i]; j++) e[j] += r->score->p[B2]->value[0];
        kernels()->sigmoid(b->n[i], e, e);
    }
}

/* What enters the sigmoid: de e (1 - e) */
static void backward(ScoreRun *r, const ScoreBlock *b)
{
    for (int64_t i = 0; i < b->rows; i++) {
        const int64_t at = score_record(r, b->slot + i) + b->first[i];
        for (int64_t j = at; j < at + b->n[i]; j++) {
            r->de[j] *= r->e[j] * (1 - r->e[j]);
            r->score->p[B2]->grad[0] += r->de[j];
        }
    }
    score_hidden_backward(r, b);
}

const ScoreDef score_mlp = {.component = {.name = "mlp",
                                          .help = "sigmoid(w2 . tanh(W1 [s ; h] + b1) + b2).",
                                          .source = "survey form",
                                          SCORE_HIDDEN},
                            .learnt = {.name = "query", .scale = 0.1},
                            .hidden = true,
                            .most_apart = 1,
                            .build = build,
                            .open = score_hidden_open,
                            .forward = forward,
                            .backward = backward,
                            .finish = score_hidden_finish};
