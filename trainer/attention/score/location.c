/* location.c - e_j = (W s)_j: one score for each position, whatever stands there (Luong 2015). */
#include "trainer/attention/score/steps.h"
#include "trainer/core/blas.h"
#include "trainer/op/shape.h"

enum { S, W };

static Status build(Score *s, Params *ps)
{
    const int64_t L = s->size.longest, A = s->size.attend;
    REQUIRE(L >= 1, ERR_CONFIG, "score location needs the greatest length, which is not known here");
    TRY(score_param(s, ps, S, "context", "the query", SHAPE2(1, A), INIT_NORMAL, 0.1));
    return score_param(s, ps, W, "W", "query to scores: rows are positions", SHAPE2(L, A), INIT_XAVIER, 1);
}

static Node *forward(const Score *s, Tape *t, Node *h, Segments keys)
{
    const int64_t N = h->shape.d[0], L = s->size.longest;
    int32_t *position = tape_alloc(t, (size_t)N * sizeof *position);
    for (int64_t i = 0; position && i < keys.n; i++) {
        const int64_t first = keys.offset[i], n = keys.offset[i + 1] - first;
        if (n > L)
            return op_refuse_as(t, ERR_DATA, "score location: %lld keys, but it has positions for %lld", (long long)n,
                                (long long)L);
        for (int64_t j = 0; j < n; j++) position[first + j] = (int32_t)j;
    }
    return op_gather(t, op_linear_nt(t, score_node(s, t, W), score_node(s, t, S)), N, position);
}

typedef struct Own {
    Panel ask, back; /* of the rows of W that this batch has positions for: transposed, and as they are */
} Own;

static Status build_steps(Score *s, Params *ps)
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
static void step(ScoreRun *r, const ScoreStep *s)
{
    const Own *own = r->own;
    panel_gemm(s->rows, s->query, s->ld_query, &own->ask, 0, r->e + score_record(r, s->slot), r->longest);
}

/* ds = sum_j de_j W_j */
static void step_backward(ScoreRun *r, const ScoreStep *s)
{
    const Own *own = r->own;
    panel_gemm(s->rows, r->de + score_record(r, s->slot), r->longest, &own->back, 1, s->d_query, s->ld_query);
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

static const ScoreSteps steps = {
    .build = build_steps, .open = open, .forward = step, .backward = step_backward, .finish = finish};

const ScoreDef score_location = {
    .name = "location",
    .help = "(W s)_j, one score for each position, as many as the longest sentence of the corpus has words",
    .source = "Luong 2015",
    .build = build,
    .forward = forward,
    .steps = &steps};
