/* concat.c - e = v . tanh(W [s ; h]) (Luong 2015). W [s ; h] = W_s s + W_h h: the first part is made once. */
#include "trainer/attention/score/steps.h"

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

enum { JOINED = SCORE_PARAMS - 2, COVERAGE };

/* W [s ; h] as one matrix: first the rows of the query, then those of the key. */
static Status build_steps(Score *s, Params *ps)
{
    const int64_t D = s->size.width, A = s->size.attend, m = s->size.query;
    TRY(score_param(s, ps, JOINED, "W", "query and key to hidden: rows are inputs", SHAPE2(m + D, A), INIT_XAVIER, 1));
    TRY(score_param(s, ps, V, "v", "hidden to score", SHAPE1(A), INIT_NORMAL, 0.1));
    return score_coverage_param(s, ps, COVERAGE);
}

static Status open(ScoreRun *r)
{
    const Param *w = r->score->p[JOINED], *v = r->score->p[V];
    const int64_t keys = r->score->size.query * r->score->size.attend; /* where the rows of the key begin */
    ScoreHidden *h;
    TRY_NEW(h, r->arena, 1);
    *h = (ScoreHidden){
        .w = w->value, .u = w->value + keys, .v = v->value, .dw = w->grad, .du = w->grad + keys, .dv = v->grad};
    r->own = h;
    return score_hidden_open(r, h, r->score->p[COVERAGE]);
}

static void step(ScoreRun *r, const ScoreStep *s) { score_hidden_step(r, s, r->own); }

static void step_backward(ScoreRun *r, const ScoreStep *s) { score_hidden_backward(r, s, r->own); }

static Status finish(ScoreRun *r, real *d_key) { return score_hidden_finish(r, r->own, d_key); }

static const ScoreSteps steps = {
    .hidden = true, .build = build_steps, .open = open, .forward = step, .backward = step_backward, .finish = finish};

const ScoreDef score_concat = {.name = "concat",
                               .help = "v . tanh(W [s ; h])",
                               .source = "Luong 2015",
                               .build = build,
                               .forward = forward,
                               .additive = additive,
                               .steps = &steps};
