/* multi_dim.c - K scores a key: e_k = tanh(u^T W_k h), k = 1..K (Lin 2017). The K contexts are laid side by side. */
#include "trainer/attention/score/score.h"
#include "trainer/core/blas.h"

enum { W };

static const Field fields[] = {
    FIELD(ManySettings, rows, .preset = "4", .min = 1, .max = 256, .help = "Attentions side by side."),
    FIELD(ManySettings, orthogonality, .preset = "0", .min = 0, .max = 1000,
          .help = "Weight of the penalty on attentions that look at the same place."),
    SCORE_SCALED(ManySettings),
};

typedef struct Own {
    Panel ask, back; /* W packed, and transposed */
    real *wanted;    /* (slots, K D) s^T W_k */
    real *d_wanted;
} Own;

/* The query is Lin's u. */
static Status build(Score *s, Params *ps)
{
    return score_bilinear_param(s, ps, ((const ManySettings *)s->settings)->scaled,
                                ", columns K blocks of the keys' width");
}

static Status open(ScoreRun *r)
{
    const int64_t width = r->score->columns * r->score->size.width, m = r->score->size.query;
    Own *own;
    TRY_NEW(own, r->arena, 1);
    r->own = own;
    TRY_NEW(own->wanted, r->arena, r->slots * width);
    TRY(panel_pack(&own->ask, r->arena, r->score->p[W]->value, false, m, width));
    if (!r->backward) return OK;
    TRY_NEW(own->d_wanted, r->arena, r->slots * width);
    return panel_pack(&own->back, r->arena, r->score->p[W]->value, true, width, m);
}

static void forward(ScoreRun *r, const ScoreBlock *b)
{
    const int64_t D = r->score->size.width, K = r->score->columns, width = K * D;
    const Own *own = r->own;
    real *wanted = own->wanted + b->slot * width;
    score_ask(b, &own->ask, NULL, wanted);
    score_products(r, b, score_bilinear(r->score), r->key, D, wanted, width);
    for (int64_t i = 0; i < b->rows; i++) {
        const int64_t *at = r->keys.offset + b->sentence[i];
        for (int64_t k = 0; k < K; k++) {
            real *e = r->e + score_record(r, b->slot + i) + k * (at[1] - at[0]) + b->first[i];
            kernels()->tanh(b->n[i], e, e);
        }
    }
}

/* Before the tanh: de (1 - e^2); then d(s^T W_k) = sum_j de_kj h_j, ds = its product with W^T. */
static void backward(ScoreRun *r, const ScoreBlock *b)
{
    const int64_t D = r->score->size.width, K = r->score->columns, width = K * D;
    const Own *own = r->own;
    for (int64_t i = 0; i < b->rows; i++) {
        const int64_t *at = r->keys.offset + b->sentence[i];
        for (int64_t k = 0; k < K; k++) {
            const int64_t first = score_record(r, b->slot + i) + k * (at[1] - at[0]) + b->first[i];
            for (int64_t j = first; j < first + b->n[i]; j++) r->de[j] *= 1 - r->e[j] * r->e[j];
        }
    }
    score_products_backward(r, b, score_bilinear(r->score), r->key, D, own->d_wanted + b->slot * width, width);
    score_ask_backward(b, &own->back, own->d_wanted + b->slot * width, width);
}

static Status finish(ScoreRun *r, real *d_key)
{
    const int64_t D = r->score->size.width, width = r->score->columns * D, m = r->score->size.query;
    const Own *own = r->own;
    blas_gemm(true, false, m, width, r->slots, 1, r->query, m, own->d_wanted, width, 1, r->score->p[W]->grad, width);
    return score_gather(r, score_bilinear(r->score), r->de, own->wanted, D, d_key);
}

const ScoreDef score_multi_dim = {.component = {.name = "multi_dim",
                                                .help = "K scores tanh(s^T W_k h), contexts side by side.",
                                                .source = "Lin 2017",
                                                ROWS(fields, ManySettings)},
                                  .learnt = {.name = "context", .scale = 1},
                                  .many = true,
                                  .most_apart = 2,
                                  .build = build,
                                  .open = open,
                                  .forward = forward,
                                  .backward = backward,
                                  .finish = finish};
