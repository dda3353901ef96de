/* general.c - e = s^T W h, where query and key may differ in width (Luong 2015). */
#include <string.h>

#include "trainer/attention/score/steps.h"
#include "trainer/core/blas.h"

enum { S, W };

static Status build(Score *s, Params *ps)
{
    const int64_t D = s->size.width, A = s->size.attend;
    TRY(score_param(s, ps, S, "context", "the query", SHAPE2(1, A), INIT_NORMAL, 0.1));
    return score_param(s, ps, W, "W", "query to keys: rows are the query's", SHAPE2(A, D), INIT_XAVIER, 1);
}

/* (s^T W) once, then one product a key */
static Node *forward(const Score *s, Tape *t, Node *h, Segments keys)
{
    (void)keys;
    return op_linear_nt(t, h, op_linear(t, score_node(s, t, S), score_node(s, t, W), NULL));
}

/* For outer queries the parameter is W sqrt(D) (score_bilinear). */
static Status build_steps(Score *s, Params *ps)
{
    const int64_t D = s->size.width, m = s->size.query;
    return score_param(s, ps, W, "scaled_W", "query to keys, times the root of the keys' width: rows are the query's",
                       SHAPE2(m, D), INIT_XAVIER, 1);
}

/* The keys in the query's space, h_j W^T sqrt(D), once: then a step is a product of two vectors a key. */
static Status open(ScoreRun *r)
{
    const int64_t N = r->keys.offset[r->keys.n], D = r->score->size.width, m = r->score->size.query;
    real *keys = r->own = arena_alloc(r->arena, (size_t)(N * m) * sizeof *keys);
    if (!keys) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    const ArenaMark mark = arena_mark(r->arena);
    Panel w;
    const Status st = panel_pack(&w, r->arena, r->score->p[W]->value, true, D, m);
    if (st == OK) panel_gemm(N, r->key, D, &w, 0, keys, m);
    arena_release(r->arena, mark);
    return st;
}

static void step(ScoreRun *r, const ScoreStep *s)
{
    score_products(r, s, score_bilinear(r->score), r->own, r->score->size.query, s->query, s->ld_query);
}

/* ds = sum_j de_j W h_j */
static void step_backward(ScoreRun *r, const ScoreStep *s)
{
    score_products_backward(r, s, score_bilinear(r->score), r->own, r->score->size.query, s->d_query, s->ld_query);
}

/* With k_j = W h_j of the parameter W: dk_j = sum de_j s / sqrt(D), dW = sum_j dk_j h_j^T, dh_j = W^T dk_j */
static Status finish(ScoreRun *r, real *d_key)
{
    const int64_t N = r->keys.offset[r->keys.n], D = r->score->size.width, m = r->score->size.query;
    const Param *w = r->score->p[W];
    real *dk = r->own; /* the projected keys are not needed any more */
    memset(dk, 0, (size_t)(N * m) * sizeof *dk);
    TRY(score_gather(r, score_bilinear(r->score), r->de, r->query, m, dk));
    if (N == 0) return OK;
    blas_gemm(true, false, m, D, N, 1, dk, m, r->key, D, 1, w->grad, D);
    blas_gemm(false, false, N, D, m, 1, dk, m, w->value, D, 1, d_key, D);
    return OK;
}

static const ScoreSteps steps = {
    .build = build_steps, .open = open, .forward = step, .backward = step_backward, .finish = finish};

const ScoreDef score_general = {
    .name = "general", .help = "s^T W h", .source = "Luong 2015", .build = build, .forward = forward, .steps = &steps};
