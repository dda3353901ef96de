/* location.c - e_j = (W s)_j: one score for each position, whatever stands there (Luong 2015). */
#include "trainer/attention/score/score.h"
#include "trainer/core/blas.h"

enum { W };

typedef struct Own {
    Panel ask, back; /* of the rows of W that this batch has positions for: transposed, and as they are */
} Own;

static Status build(Score *s, Params *ps)
{
    const int64_t L = s->size.longest, m = s->size.query;
    REQUIRE(L >= 1, ERR_CONFIG, "score location needs the greatest length, which is not known here");
    return score_param(s, ps, W, "W", "query to scores: rows are positions", SHAPE2(L, m), INIT_XAVIER, 1);
}

static Status open(ScoreRun *r)
{
    const int64_t L = r->score->size.longest, m = r->score->size.query;
    const real *w = r->score->p[W]->value;
    REQUIRE(r->longest <= L, ERR_DATA, "score location: %lld keys, but it has positions for %lld",
            (long long)r->longest, (long long)L);
    Own *own;
    TRY_NEW(own, r->arena, 1);
    r->own = own;
    TRY(panel_pack(&own->ask, r->arena, w, true, m, r->longest));
    return r->backward ? panel_pack(&own->back, r->arena, w, false, r->longest, m) : OK;
}

/* Positions beyond the example's keys get a score too, which nobody reads. */
static void forward(ScoreRun *r, const ScoreBlock *b)
{
    const Own *own = r->own;
    score_ask(b, &own->ask, NULL, r->e + score_record(r, b->slot));
}

/* ds = sum_j de_j W_j */
static void backward(ScoreRun *r, const ScoreBlock *b)
{
    const Own *own = r->own;
    score_ask_backward(b, &own->back, r->de + score_record(r, b->slot), r->longest);
}

/* dW_j = sum de_j s; the keys have no part in the score. */
static Status finish(ScoreRun *r, real *d_key)
{
    const int64_t m = r->score->size.query;
    (void)d_key;
    if (r->longest > 0)
        blas_gemm(true, false, r->longest, m, r->slots, 1, r->de, r->longest, r->query, m, 1, r->score->p[W]->grad, m);
    return OK;
}

const ScoreDef score_location = {
    .component = {.name = "location",
                  .help =
                      "(W s)_j, one score for each position, as many as the longest sentence of the corpus has words.",
                  .source = "Luong 2015"},
    .learnt = {.name = "context", .scale = 0.1},
    .placed = true,
    .build = build,
    .open = open,
    .forward = forward,
    .backward = backward,
    .finish = finish};
