/* cosine.c - e = beta cos(s, h), beta = exp(log_beta) > 0 (content addressing of Graves 2014). */
#include <math.h>

#include "trainer/attention/score/steps.h"

enum { S, BETA };

static Status build(Score *s, Params *ps)
{
    TRY(score_param(s, ps, S, "context", "the query", SHAPE2(1, s->size.width), INIT_NORMAL, 0.1));
    return score_param(s, ps, BETA, "log_beta", "logarithm of the sharpness beta", SHAPE1(1), INIT_CONSTANT, 1);
}

static Node *forward(const Score *s, Tape *t, Node *h, Segments keys)
{
    (void)keys;
    Node *cosine = op_linear_nt(t, op_unit_rows(t, h), op_unit_rows(t, score_node(s, t, S)));
    return op_scale_by(t, cosine, op_exp(t, score_node(s, t, BETA)));
}

static const double EPSILON = 1e-12; /* under the root, as in op_unit_rows: a row of zeros stays one */

typedef struct Own {
    real *key, *of_key;     /* (N,D) unit keys, (N) 1 / |h| */
    real *query, *of_query; /* (slots,D) unit queries, (slots) 1 / |s| */
    real *d_query;          /* (slots,D) of the unit query, as it comes */
    real beta;
} Own;

static Status build_steps(Score *s, Params *ps)
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

static void step(ScoreRun *r, const ScoreStep *s)
{
    const int64_t D = r->score->size.width;
    const Own *own = r->own;
    for (int64_t i = 0; i < s->rows; i++)
        unit(D, s->query + i * s->ld_query, own->query + (s->slot + i) * D, &own->of_query[s->slot + i]);
    score_products(r, s, own->beta, own->key, D, own->query + s->slot * D, D);
}

/* With unit vectors a, b: e = beta a . b, da = beta sum de b, d log beta = de e. */
static void step_backward(ScoreRun *r, const ScoreStep *s)
{
    const int64_t D = r->score->size.width;
    const Own *own = r->own;
    for (int64_t i = 0; i < s->rows; i++) {
        const int64_t at = score_record(r, s->slot + i) + s->first[i];
        const real *key = own->key + (r->keys.offset[s->sentence[i]] + s->first[i]) * D;
        r->score->p[BETA]->grad[0] += kernels()->dot(s->n[i], r->de + at, r->e + at);
        kernels()->weighted_sum(s->n[i], D, r->de + at, key, D, own->d_query);
        kernels()->scale(D, own->beta, own->d_query);
        unit_backward(D, own->query + (s->slot + i) * D, own->of_query[s->slot + i], own->d_query,
                      s->d_query + i * s->ld_query);
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

static const ScoreSteps steps = {
    .build = build_steps, .open = open, .forward = step, .backward = step_backward, .finish = finish};

const ScoreDef score_cosine = {.name = "cosine",
                               .help = "beta cos(s, h), beta > 0 learnt, both of one width",
                               .source = "Graves 2014",
                               .build = build,
                               .forward = forward,
                               .steps = &steps};
