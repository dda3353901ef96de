/* cosine.c - e = beta cos(s, h), beta = exp(log_beta) > 0 (content addressing of Graves 2014). */
#include <math.h>

#include "trainer/attention/score/score.h"

enum { BETA };

static const double EPSILON = 1e-12; /* under the root: a row of zeros stays one */

typedef struct Own {
    real *key, *of_key;     /* (N,D) unit keys, (N) 1 / |h| */
    real *query, *of_query; /* (slots,D) unit queries, (slots) 1 / |s| */
    real *d_query;          /* (slots,D) of the unit query, as it comes */
    real beta;
} Own;

static Status build(Score *s, Params *ps)
{
    TRY(score_same_widths(s));
    return score_param(s, ps, BETA, "log_beta", "logarithm of the sharpness beta", SHAPE1(1), INIT_CONSTANT, 1);
}

static void unit(int64_t n, const real *x, real *y, real *inverse)
{
    *inverse = (real)(1 / sqrt(kernels()->sum_squares(n, x) + EPSILON));
    for (int64_t c = 0; c < n; c++) y[c] = *inverse * x[c];
}

/* dx += (dy - y (y . dy)) / |x| */
static void unit_backward(int64_t n, const real *y, real inverse, const real *dy, real *dx)
{
    kernels()->axpy(n, inverse, dy, dx);
    kernels()->axpy(n, -inverse * kernels()->dot(n, y, dy), y, dx);
}

static Status open(ScoreRun *r)
{
    const int64_t N = r->keys.offset[r->keys.n], D = r->score->size.width;
    Own *own;
    TRY_NEW(own, r->arena, 1);
    r->own = own;
    TRY_NEW(own->key, r->arena, N * D);
    TRY_NEW(own->of_key, r->arena, N);
    TRY_NEW(own->query, r->arena, r->slots * D);
    TRY_NEW(own->of_query, r->arena, r->slots);
    TRY_NEW(own->d_query, r->arena, D);
    kernels()->exp(1, r->score->p[BETA]->value, &own->beta);
    for (int64_t j = 0; j < N; j++) unit(D, r->key + j * D, own->key + j * D, &own->of_key[j]);
    return OK;
}

static void forward(ScoreRun *r, const ScoreBlock *b)
{
    const int64_t D = r->score->size.width;
    const Own *own = r->own;
    for (int64_t i = 0; i < b->rows; i++)
        unit(D, b->query + i * b->ld_query, own->query + (b->slot + i) * D, &own->of_query[b->slot + i]);
    score_products(r, b, own->beta, own->key, D, own->query + b->slot * D, D);
}

/* With unit vectors a, b: e = beta a . b, da = beta sum de b, d log beta = de e. */
static void backward(ScoreRun *r, const ScoreBlock *b)
{
    const int64_t D = r->score->size.width;
    const Own *own = r->own;
    for (int64_t i = 0; i < b->rows; i++) {
        const int64_t at = score_record(r, b->slot + i) + b->first[i];
        const real *key = own->key + (r->keys.offset[b->sentence[i]] + b->first[i]) * D;
        r->score->p[BETA]->grad[0] += kernels()->dot(b->n[i], r->de + at, r->e + at);
        kernels()->weighted_sum(b->n[i], D, r->de + at, key, D, own->d_query);
        kernels()->scale(D, own->beta, own->d_query);
        unit_backward(D, own->query + (b->slot + i) * D, own->of_query[b->slot + i], own->d_query,
                      b->d_query + i * b->ld_query);
    }
}

static Status finish_here(ScoreRun *r, real *d_key)
{
    const int64_t N = r->keys.offset[r->keys.n], D = r->score->size.width;
    const Own *own = r->own;
    real *d_unit;
    TRY_NEW(d_unit, r->arena, N * D);
    TRY(score_gather(r, own->beta, r->de, own->query, D, d_unit));
    for (int64_t j = 0; j < N; j++) unit_backward(D, own->key + j * D, own->of_key[j], d_unit + j * D, d_key + j * D);
    return OK;
}

static Status finish(ScoreRun *r, real *d_key)
{
    const ArenaMark mark = arena_mark(r->arena);
    const Status st = finish_here(r, d_key);
    arena_release(r->arena, mark);
    return st;
}

const ScoreDef score_cosine = {.component = {.name = "cosine",
                                             .help = "beta cos(s, h), beta > 0 learnt, both of one width.",
                                             .source = "Graves 2014"},
                               .learnt = {.name = "context", .scale = 0.1},
                               .build = build,
                               .open = open,
                               .forward = forward,
                               .backward = backward,
                               .finish = finish};
