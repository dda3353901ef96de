/* additive.c - e = v . tanh(W h + b). The learnt query's share W s of Bahdanau 2015 is one vector for all keys, so it
 * is part of b: this is the attention of Yang 2016. */
#include "trainer/attention/score/steps.h"

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

enum { ASK = SCORE_PARAMS - 2, COVERAGE }; /* beside W (of the keys), b and v */

/* e_j = v . tanh(W s + U h_j + b), with coverage v . tanh(W s + U h_j + b + coverage_j c) (Tu 2016) */
static Status build_steps(Score *s, Params *ps)
{
    const int64_t D = s->size.width, A = s->size.attend, m = s->size.query;
    TRY(score_param(s, ps, ASK, "W", "query to hidden: rows are inputs", SHAPE2(m, A), INIT_XAVIER, 1));
    TRY(score_param(s, ps, W, "U", "keys to hidden: rows are inputs", SHAPE2(D, A), INIT_XAVIER, 1));
    TRY(score_param(s, ps, B, "b", "bias of the hidden layer", SHAPE1(A), INIT_ZERO, 0));
    TRY(score_param(s, ps, V, "v", "hidden to score", SHAPE1(A), INIT_NORMAL, 0.1));
    return score_coverage_param(s, ps, COVERAGE);
}

static Status open(ScoreRun *r)
{
    Param *const *p = r->score->p;
    ScoreHidden *h;
    TRY_NEW(h, r->arena, 1);
    *h = (ScoreHidden){.w = p[ASK]->value,
                       .u = p[W]->value,
                       .b = p[B]->value,
                       .v = p[V]->value,
                       .dw = p[ASK]->grad,
                       .du = p[W]->grad,
                       .db = p[B]->grad,
                       .dv = p[V]->grad};
    r->own = h;
    return score_hidden_open(r, h, p[COVERAGE]);
}

static void step(ScoreRun *r, const ScoreStep *s) { score_hidden_step(r, s, r->own); }

static void step_backward(ScoreRun *r, const ScoreStep *s) { score_hidden_backward(r, s, r->own); }

static Status finish(ScoreRun *r, real *d_key) { return score_hidden_finish(r, r->own, d_key); }

static const ScoreSteps steps = {
    .hidden = true, .build = build_steps, .open = open, .forward = step, .backward = step_backward, .finish = finish};

const ScoreDef score_additive = {.name = "additive",
                                 .help = "v . tanh(W s + U h + b)",
                                 .source = "Bahdanau 2015, Yang 2016",
                                 .build = build,
                                 .forward = forward,
                                 .additive = additive,
                                 .steps = &steps};
