/* mlp.c - e = sigmoid(w2 . tanh(W1 [s ; h] + b1) + b2): between 0 and 1, so no key can be left out entirely. */
#include "trainer/attention/score/steps.h"

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

enum { JOINED = WS }; /* W1 of query and key in one; no learnt query */

/* W1 [s ; h] as one matrix: first the rows of the query, then those of the key. Coverage enters the hidden layer. */
static Status build_steps(Score *s, Params *ps)
{
    const int64_t D = s->size.width, A = s->size.attend, m = s->size.query;
    TRY(score_param(s, ps, JOINED, "W1", "query and key to hidden: rows are inputs", SHAPE2(m + D, A), INIT_XAVIER, 1));
    TRY(score_param(s, ps, B1, "b1", "bias of the hidden layer", SHAPE1(A), INIT_ZERO, 0));
    TRY(score_param(s, ps, W2, "w2", "hidden to score", SHAPE2(A, 1), INIT_XAVIER, 1));
    TRY(score_param(s, ps, B2, "b2", "bias of the score", SHAPE1(1), INIT_ZERO, 0));
    return score_coverage_param(s, ps, S);
}

static Status open(ScoreRun *r)
{
    Param *const *p = r->score->p;
    const int64_t keys = r->score->size.query * r->score->size.attend; /* where the rows of the key begin */
    ScoreHidden *h;
    TRY_NEW(h, r->arena, 1);
    *h = (ScoreHidden){.w = p[JOINED]->value,
                       .u = p[JOINED]->value + keys,
                       .b = p[B1]->value,
                       .v = p[W2]->value,
                       .dw = p[JOINED]->grad,
                       .du = p[JOINED]->grad + keys,
                       .db = p[B1]->grad,
                       .dv = p[W2]->grad};
    r->own = h;
    return score_hidden_open(r, h, p[S]);
}

static void step(ScoreRun *r, const ScoreStep *s)
{
    score_hidden_step(r, s, r->own);
    for (int64_t i = 0; i < s->rows; i++) {
        real *e = r->e + score_record(r, s->slot + i) + s->first[i];
        for (int64_t j = 0; j < s->n[i]; j++) e[j] += r->score->p[B2]->value[0];
        kernels()->sigmoid(s->n[i], e, e);
    }
}

/* What enters the sigmoid: de e (1 - e) */
static void step_backward(ScoreRun *r, const ScoreStep *s)
{
    for (int64_t i = 0; i < s->rows; i++) {
        const int64_t at = score_record(r, s->slot + i) + s->first[i];
        for (int64_t j = at; j < at + s->n[i]; j++) {
            r->de[j] *= r->e[j] * (1 - r->e[j]);
            r->score->p[B2]->grad[0] += r->de[j];
        }
    }
    score_hidden_backward(r, s, r->own);
}

static Status finish(ScoreRun *r, real *d_key) { return score_hidden_finish(r, r->own, d_key); }

static const ScoreSteps steps = {
    .hidden = true, .build = build_steps, .open = open, .forward = step, .backward = step_backward, .finish = finish};

const ScoreDef score_mlp = {.name = "mlp",
                            .help = "sigmoid(w2 . tanh(W1 [s ; h] + b1) + b2)",
                            .source = "survey form",
                            .build = build,
                            .forward = forward,
                            .most_apart = 1,
                            .steps = &steps};
