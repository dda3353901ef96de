/* strong_dot.c - e = factor s . h. */
#include "trainer/attention/score/score.h"

typedef struct Settings {
    double factor;
} Settings;

static const Field fields[] = {
    FIELD(Settings, factor, .preset = "2", .min = 0.01, .max = 100, .help = "What products are multiplied by."),
};

static Status build(Score *s, Params *ps)
{
    (void)ps;
    return score_same_widths(s);
}

static real scale(const ScoreRun *r) { return (real)((const Settings *)r->score->settings)->factor; }

static void forward(ScoreRun *r, const ScoreBlock *b)
{
    score_products(r, b, scale(r), r->key, r->score->size.width, b->query, b->ld_query);
}

/* ds = factor sum_j de_j h_j, and at the end dh_j = factor sum de_j s */
static void backward(ScoreRun *r, const ScoreBlock *b)
{
    score_products_backward(r, b, scale(r), r->key, r->score->size.width, b->d_query, b->ld_query);
}

static Status finish(ScoreRun *r, real *d_key)
{
    return score_gather(r, scale(r), r->de, r->query, r->score->size.width, d_key);
}

const ScoreDef score_strong_dot = {
    .component = {.name = "strong_dot", .help = "factor s . h, both of one width.", ROWS(fields, Settings)},
    .learnt = {.name = "context", .scale = 1},
    .build = build,
    .forward = forward,
    .backward = backward,
    .finish = finish};
