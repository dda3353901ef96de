/* general.c - e = s^T W h, where query and key may differ in width (Luong 2015). */
#include <string.h>

#include "trainer/attention/score/score.h"
#include "trainer/core/blas.h"

enum { W };

typedef struct General {
    bool scaled;
} General;

static const Field fields[] = {SCORE_SCALED(General)};

static Status build(Score *s, Params *ps)
{
    return score_bilinear_param(s, ps, ((const General *)s->settings)->scaled, "");
}

/* The keys in the query's space, h_j W^T, once: then a score is a product of two vectors. */
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

static void forward(ScoreRun *r, const ScoreBlock *b)
{
    score_products(r, b, score_bilinear(r->score), r->own, r->score->size.query, b->query, b->ld_query);
}

/* ds = sum_j de_j W h_j */
static void backward(ScoreRun *r, const ScoreBlock *b)
{
    score_products_backward(r, b, score_bilinear(r->score), r->own, r->score->size.query, b->d_query, b->ld_query);
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

const ScoreDef score_general = {
    .component = {.name = "general", .help = "s^T W h.", .source = "Luong 2015", ROWS(fields, General)},
    .learnt = {.name = "context", .scale = 0.1},
    .build = build,
    .open = open,
    .forward = forward,
    .backward = backward,
    .finish = finish};
