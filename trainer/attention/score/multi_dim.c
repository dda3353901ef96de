/* multi_dim.c - K scores a key: e_k = tanh(u^T W_k h), k = 1..K (Lin 2017). The K contexts are laid side by side. */
#include "trainer/attention/score/steps.h"
#include "trainer/core/blas.h"

enum { U, W };

static Status build(Score *s, Params *ps)
{
    const int64_t D = s->size.width, A = s->size.attend, K = s->size.rows;
    TRY(score_param(s, ps, U, "context", "the query u", SHAPE2(1, A), INIT_NORMAL, 1));
    return score_param(s, ps, W, "W", "query to keys: rows are the query's, columns K blocks of the keys' width",
                       SHAPE2(A, K * D), INIT_XAVIER, 1);
}

/* (u^T W_1 ; ... ; u^T W_K) once, (K,D); then one product a key */
static Node *forward(const Score *s, Tape *t, Node *h, Segments keys)
{
    (void)keys;
    Node *wanted = op_linear(t, score_node(s, t, U), score_node(s, t, W), NULL);
    return op_tanh(t, op_linear_nt(t, h, op_reshape(t, wanted, SHAPE2(s->size.rows, s->size.width))));
}

typedef struct Own {
    Panel ask, back; /* W packed, and transposed */
    real *wanted;    /* (slots, K D) s^T W_k sqrt(D) */
    real *d_wanted;
} Own;

/* The query from outside is Lin's u, which is learnt there; the parameter is W sqrt(D) (score_bilinear). */
static Status build_steps(Score *s, Params *ps)
{
    const int64_t D = s->size.width, K = s->size.rows, m = s->size.query;
    return score_param(s, ps, W, "scaled_W",
                       "query to keys, times the root of the keys' width: rows are the query's, columns K blocks of "
                       "the keys' width",
                       SHAPE2(m, K * D), INIT_XAVIER, 1);
}

static Status open(ScoreRun *r)
{
    const int64_t width = r->score->size.rows * r->score->size.width, m = r->score->size.query;
    Own *own;
    TRY_NEW(own, r->arena, 1);
    r->own = own;
    TRY_NEW(own->wanted, r->arena, r->slots * width);
    TRY(panel_pack(&own->ask, r->arena, r->score->p[W]->value, false, m, width));
    if (!r->backward) return OK;
    TRY_NEW(own->d_wanted, r->arena, r->slots * width);
    return panel_pack(&own->back, r->arena, r->score->p[W]->value, true, width, m);
}

static void step(ScoreRun *r, const ScoreStep *s)
{
    const int64_t D = r->score->size.width, K = r->score->size.rows, width = K * D;
    const Own *own = r->own;
    real *wanted = own->wanted + s->slot * width;
    panel_gemm(s->rows, s->query, s->ld_query, &own->ask, 0, wanted, width);
    score_products(r, s, score_bilinear(r->score), r->key, D, wanted, width);
    for (int64_t i = 0; i < s->rows; i++) {
        const int64_t *at = r->keys.offset + s->sentence[i];
        for (int64_t k = 0; k < K; k++) {
            real *e = r->e + score_record(r, s->slot + i) + k * (at[1] - at[0]) + s->first[i];
            kernels()->tanh(s->n[i], e, e);
        }
    }
}

/* Before the tanh: de (1 - e^2); then d(s^T W_k) = sum_j de_kj h_j, ds = its product with W^T. */
static void step_backward(ScoreRun *r, const ScoreStep *s)
{
    const int64_t D = r->score->size.width, K = r->score->size.rows, width = K * D;
    const Own *own = r->own;
    for (int64_t i = 0; i < s->rows; i++) {
        const int64_t *at = r->keys.offset + s->sentence[i];
        for (int64_t k = 0; k < K; k++) {
            const int64_t first = score_record(r, s->slot + i) + k * (at[1] - at[0]) + s->first[i];
            for (int64_t j = first; j < first + s->n[i]; j++) r->de[j] *= 1 - r->e[j] * r->e[j];
        }
    }
    score_products_backward(r, s, score_bilinear(r->score), r->key, D, own->d_wanted + s->slot * width, width);
    panel_gemm(s->rows, own->d_wanted + s->slot * width, width, &own->back, 1, s->d_query, s->ld_query);
}

static Status finish(ScoreRun *r, real *d_key)
{
    const int64_t D = r->score->size.width, width = r->score->size.rows * D, m = r->score->size.query;
    const Own *own = r->own;
    blas_gemm(true, false, m, width, r->slots, 1, r->query, m, own->d_wanted, width, 1, r->score->p[W]->grad, width);
    return score_gather(r, score_bilinear(r->score), r->de, own->wanted, D, d_key);
}

static const ScoreSteps steps = {
    .build = build_steps, .open = open, .forward = step, .backward = step_backward, .finish = finish};

const ScoreDef score_multi_dim = {.name = "multi_dim",
                                  .help = "K scores tanh(s^T W_k h), contexts side by side",
                                  .source = "Lin 2017",
                                  .build = build,
                                  .forward = forward,
                                  .many = true,
                                  .most_apart = 2,
                                  .steps = &steps};
