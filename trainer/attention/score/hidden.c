/* hidden.c - scores with a hidden layer (Bahdanau 2015, A.1.2: the keys' part is made once).
 *
 *   t_j = tanh(q W + b + key_j U + coverage_j c),  e_j = v . t_j
 * The hidden layer of a (query, key) is not kept: to make it again costs less than to write and read it. */
#include <string.h>

#include "trainer/attention/score/score.h"
#include "trainer/core/blas.h"

const Field score_hidden_rows[] = {
    FIELD(HiddenSettings, width, .preset = "0", .min = 0, .max = 8192, .unit = "units",
          .help = "Width of the hidden layer; 0: that of what is looked at."),
    FIELD(HiddenSettings, coverage, .preset = "false", .help = "See what each position got before (Tu 2016)."),
};

typedef struct Hidden {
    const real *w, *u, *b, *v, *c; /* (m,A) (D,A) (A) (A) (A); w, b and c may be NULL */
    real *dw, *du, *db, *dv, *dc;  /* where their gradients go */
    Panel ask, back;               /* W packed, and transposed */
    real *keys, *d_keys;           /* (N,A) key U */
    real *q, *dq;                  /* (slots,A) q W + b */
} Hidden;

Status score_hidden_vector(Score *s, Params *ps)
{
    const int64_t A = s->hidden;
    const bool learnt = s->size.learnt;
    return score_param(s, ps, HIDDEN_V, learnt ? "context" : "v",
                       learnt ? "what the hidden layer is compared with" : "hidden to score",
                       learnt ? SHAPE2(1, A) : SHAPE1(A), INIT_NORMAL, 0.1);
}

Status score_coverage_param(Score *s, Params *ps)
{
    if (!((const HiddenSettings *)s->settings)->coverage) return OK;
    return score_param(s, ps, HIDDEN_COVERAGE, "coverage", "coverage to hidden", SHAPE1(s->hidden), INIT_NORMAL, 0.1);
}

static void part(const Param *p, int64_t from, const real **value, real **grad)
{
    if (!p) return;
    *value = p->value + from;
    *grad = p->grad + from;
}

static void parts(Hidden *h, const Score *s)
{
    const bool joined = !s->p[HIDDEN_W] && s->size.query > 0;
    part(joined ? s->p[HIDDEN_U] : s->p[HIDDEN_W], 0, &h->w, &h->dw);
    part(s->p[HIDDEN_U], joined ? s->size.query * s->hidden : 0, &h->u, &h->du);
    part(s->p[HIDDEN_B], 0, &h->b, &h->db);
    part(s->p[HIDDEN_V], 0, &h->v, &h->dv);
    part(s->p[HIDDEN_COVERAGE], 0, &h->c, &h->dc);
}

/* Nothing but the product stays: the packed U goes when it has been used. */
static Status project_keys(const ScoreRun *r, const Hidden *h)
{
    const int64_t N = r->keys.offset[r->keys.n], D = r->score->size.width, A = r->score->hidden;
    const ArenaMark mark = arena_mark(r->arena);
    Panel u;
    const Status st = panel_pack(&u, r->arena, h->u, false, D, A);
    if (st == OK) panel_gemm(N, r->key, D, &u, 0, h->keys, A);
    arena_release(r->arena, mark);
    return st;
}

Status score_hidden_open(ScoreRun *r)
{
    const int64_t N = r->keys.offset[r->keys.n], A = r->score->hidden, m = r->score->size.query;
    Hidden *h;
    TRY_NEW(h, r->arena, 1);
    r->own = h;
    parts(h, r->score);
    h->keys = arena_alloc(r->arena, (size_t)(N * A) * sizeof(real));
    h->q = arena_alloc(r->arena, (size_t)(r->slots * A) * sizeof(real));
    if (!h->keys || !h->q) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    if (h->w) TRY(panel_pack(&h->ask, r->arena, h->w, false, m, A));
    if (r->backward) {
        if (h->w) TRY(panel_pack(&h->back, r->arena, h->w, true, A, m));
        TRY_NEW(h->d_keys, r->arena, N * A);
        h->dq = arena_alloc(r->arena, (size_t)(r->slots * A) * sizeof(real));
        if (!h->dq) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    }
    return project_keys(r, h);
}

void score_hidden_forward(ScoreRun *r, const ScoreBlock *b)
{
    const int64_t A = r->score->hidden;
    const Hidden *h = r->own;
    real *q = h->q + b->slot * A;
    if (h->w) score_ask(b, &h->ask, h->b, q);
    for (int64_t i = 0; !h->w && i < b->rows; i++) memcpy(q + i * A, h->b, (size_t)A * sizeof *q);
    for (int64_t i = 0; i < b->rows; i++) {
        const int64_t first = b->first[i], at = r->keys.offset[b->sentence[i]] + first;
        kernels()->additive_score(b->n[i], A, h->keys + at * A, q + i * A, h->v,
                                  h->c && b->coverage ? b->coverage[i] + first : NULL, h->c,
                                  r->e + score_record(r, b->slot + i) + first);
    }
}

/* dx = de v (1 - t^2) of each key: to the query, the key and, times what it stands with, the coverage and c. */
void score_hidden_backward(ScoreRun *r, const ScoreBlock *b)
{
    const int64_t A = r->score->hidden;
    const Hidden *h = r->own;
    real *dq = h->dq + b->slot * A;
    memset(dq, 0, (size_t)(b->rows * A) * sizeof *dq);
    for (int64_t i = 0; i < b->rows; i++) {
        const int64_t first = b->first[i], at = r->keys.offset[b->sentence[i]] + first;
        const bool covered = h->c && b->coverage;
        kernels()->additive_score_backward(&(AdditiveRows){.n = b->n[i],
                                                           .a = A,
                                                           .key = h->keys + at * A,
                                                           .query = h->q + (b->slot + i) * A,
                                                           .v = h->v,
                                                           .coverage = covered ? b->coverage[i] + first : NULL,
                                                           .c = h->c,
                                                           .de = r->de + score_record(r, b->slot + i) + first,
                                                           .d_key = h->d_keys + at * A,
                                                           .d_query = dq + i * A,
                                                           .dv = h->dv,
                                                           .d_coverage = covered ? b->d_coverage[i] + first : NULL,
                                                           .dc = h->dc});
    }
    if (h->w) score_ask_backward(b, &h->back, dq, A);
}

/* dW = queries^T dq, db = sum dq, dU = keys^T d_keys, d_key = d_keys U^T */
Status score_hidden_finish(ScoreRun *r, real *d_key)
{
    const int64_t N = r->keys.offset[r->keys.n], A = r->score->hidden, m = r->score->size.query;
    const int64_t D = r->score->size.width;
    const Hidden *h = r->own;
    score_clear_unused(r, h->dq, A);
    if (h->w) blas_gemm(true, false, m, A, r->slots, 1, r->query, m, h->dq, A, 1, h->dw, A);
    if (h->db) kernels()->column_sums(r->slots, A, h->dq, A, h->db);
    if (N == 0) return OK;
    blas_gemm(true, false, D, A, N, 1, r->key, D, h->d_keys, A, 1, h->du, A);
    blas_gemm(false, true, N, D, A, 1, h->d_keys, A, h->u, A, 1, d_key, D);
    return OK;
}
