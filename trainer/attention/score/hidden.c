/* hidden.c - scores with a hidden layer, for outer queries (Bahdanau 2015, A.1.2: the keys' part is made once).
 *
 *   t_j = tanh(q W + b + key_j U + coverage_j c),  e_j = v . t_j
 * The hidden layer of a (query, key) is not kept: to make it again costs less than to write and read it. */
#include <string.h>

#include "trainer/attention/score/steps.h"
#include "trainer/core/blas.h"

/* Nothing but the product stays: the packed U goes when it has been used. */
static Status project_keys(const ScoreRun *r, const ScoreHidden *h)
{
    const int64_t N = r->keys.offset[r->keys.n], D = r->score->size.width, A = r->score->size.attend;
    const ArenaMark mark = arena_mark(r->arena);
    Panel u;
    const Status st = panel_pack(&u, r->arena, h->u, false, D, A);
    if (st == OK) panel_gemm(N, r->key, D, &u, 0, h->keys, A);
    arena_release(r->arena, mark);
    return st;
}

Status score_coverage_param(Score *s, Params *ps, int i)
{
    if (!s->size.coverage) return OK;
    return score_param(s, ps, i, "coverage", "coverage to hidden", SHAPE1(s->size.attend), INIT_NORMAL, 0.1);
}

Status score_hidden_open(ScoreRun *r, ScoreHidden *h, const Param *coverage)
{
    if (coverage) h->c = coverage->value;
    if (coverage) h->dc = coverage->grad;
    const int64_t N = r->keys.offset[r->keys.n], A = r->score->size.attend, m = r->score->size.query;
    h->keys = arena_alloc(r->arena, (size_t)(N * A) * sizeof(real));
    h->q = arena_alloc(r->arena, (size_t)(r->slots * A) * sizeof(real));
    if (!h->keys || !h->q) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    TRY(panel_pack(&h->ask, r->arena, h->w, false, m, A));
    if (r->backward) {
        TRY(panel_pack(&h->back, r->arena, h->w, true, A, m));
        TRY_NEW(h->d_keys, r->arena, N * A);
        h->dq = arena_alloc(r->arena, (size_t)(r->slots * A) * sizeof(real));
        if (!h->dq) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    }
    return project_keys(r, h);
}

void score_hidden_step(const ScoreRun *r, const ScoreStep *s, const ScoreHidden *h)
{
    const int64_t A = r->score->size.attend;
    panel_gemm_bias(s->rows, s->query, s->ld_query, &h->ask, h->b, h->q + s->slot * A, A);
    for (int64_t i = 0; i < s->rows; i++) {
        const int64_t first = s->first[i], at = r->keys.offset[s->sentence[i]] + first;
        kernels()->additive_score(s->n[i], A, h->keys + at * A, h->q + (s->slot + i) * A, h->v,
                                  h->c && s->coverage ? s->coverage[i] + first : NULL, h->c,
                                  r->e + score_record(r, s->slot + i) + first);
    }
}

/* dx = de v (1 - t^2) of each key: to the query, the key and, times what it stands with, the coverage and c. */
void score_hidden_backward(const ScoreRun *r, const ScoreStep *s, const ScoreHidden *h)
{
    const int64_t A = r->score->size.attend;
    real *dq = h->dq + s->slot * A;
    memset(dq, 0, (size_t)(s->rows * A) * sizeof *dq);
    for (int64_t i = 0; i < s->rows; i++) {
        const int64_t first = s->first[i], at = r->keys.offset[s->sentence[i]] + first;
        const bool covered = h->c && s->coverage;
        kernels()->additive_score_backward(&(AdditiveRows){.n = s->n[i],
                                                           .a = A,
                                                           .key = h->keys + at * A,
                                                           .query = h->q + (s->slot + i) * A,
                                                           .v = h->v,
                                                           .coverage = covered ? s->coverage[i] + first : NULL,
                                                           .c = h->c,
                                                           .de = r->de + score_record(r, s->slot + i) + first,
                                                           .d_key = h->d_keys + at * A,
                                                           .d_query = dq + i * A,
                                                           .dv = h->dv,
                                                           .d_coverage = covered ? s->d_coverage[i] + first : NULL,
                                                           .dc = h->dc});
    }
    panel_gemm(s->rows, dq, A, &h->back, 1, s->d_query, s->ld_query);
}

/* dW = queries^T dq, db = sum dq, dU = keys^T d_keys, d_key = d_keys U^T */
Status score_hidden_finish(const ScoreRun *r, const ScoreHidden *h, real *d_key)
{
    const int64_t N = r->keys.offset[r->keys.n], A = r->score->size.attend, m = r->score->size.query;
    const int64_t D = r->score->size.width;
    score_clear_unused(r, h->dq, A);
    blas_gemm(true, false, m, A, r->slots, 1, r->query, m, h->dq, A, 1, h->dw, A);
    if (h->db) kernels()->column_sums(r->slots, A, h->dq, A, h->db);
    if (N == 0) return OK;
    blas_gemm(true, false, D, A, N, 1, r->key, D, h->d_keys, A, 1, h->du, A);
    blas_gemm(false, true, N, D, A, 1, h->d_keys, A, h->u, A, 1, d_key, D);
    return OK;
}
