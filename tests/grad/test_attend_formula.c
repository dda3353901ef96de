/* Attention of queries that come step by step, against the formulas of the papers in plain loops. */
#include <stdio.h>

#include "attend_case.h"

enum { D = CASE_WIDTH, A = 4, K = CASE_ROWS };

static double get(const AttendCase *c, const char *name, int64_t i)
{
    char path[64];
    snprintf(path, sizeof path, "attend/%s", name);
    const Param *found = params_find(&c->params, path);
    CHECK(found, "no parameter %s", path);
    assert_true(i < found->count);
    return (double)found->value[i];
}

/* (s W)_a with W (rows.., columns), from row `first` on */
static double product(const AttendCase *c, const char *W, int64_t first, int64_t n, const real *s, int64_t columns,
                      int64_t a)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += (double)s[i] * get(c, W, (first + i) * columns + a);
    return sum;
}

static double inner(int64_t n, const real *a, const real *b)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += (double)a[i] * (double)b[i];
    return sum;
}

static double hidden_score(const AttendCase *c, const char *name, const real *s, int64_t m, const real *h,
                           double coverage)
{
    const bool additive = strcmp(name, "additive") == 0, mlp = strcmp(name, "mlp") == 0;
    const char *W = mlp ? "W1" : "W";
    double e = 0;
    for (int64_t a = 0; a < A; a++) {
        double x = product(c, W, 0, m, s, A, a);
        x += additive ? product(c, "U", 0, D, h, A, a) : product(c, W, m, D, h, A, a);
        if (additive || mlp) x += get(c, mlp ? "b1" : "b", a);
        if (attend_covers(c->attend)) x += coverage * get(c, "coverage", a);
        e += tanh(x) * get(c, mlp ? "w2" : "v", a);
    }
    return mlp ? 1 / (1 + exp(-e - get(c, "b2", 0))) : e;
}

static double formula(const AttendCase *c, const real *s, const real *h, int64_t position, int64_t k, double coverage)
{
    const char *name = c->attend->settings.score.def->name;
    const int64_t m = c->query->shape.d[1];
    double e = 0;
    if (strcmp(name, "dot") == 0) return inner(D, s, h);
    if (strcmp(name, "scaled_dot") == 0) return inner(D, s, h) / sqrt(D);
    if (strcmp(name, "cosine") == 0)
        return exp(get(c, "log_beta", 0)) * inner(D, s, h) / sqrt(inner(D, s, s) * inner(D, h, h));
    if (strcmp(name, "location") == 0) {
        for (int64_t i = 0; i < m; i++) e += get(c, "W", position * m + i) * (double)s[i];
        return e;
    }
    const char *w = c->plain ? "W" : "scaled_W"; /* the latter is W sqrt(D) */
    const double divisor = c->plain ? 1 : sqrt(D);
    if (strcmp(name, "general") == 0) {
        for (int64_t d = 0; d < D; d++) e += product(c, w, 0, m, s, D, d) / divisor * (double)h[d];
        return e;
    }
    if (strcmp(name, "multi_dim") == 0) {
        for (int64_t d = 0; d < D; d++) e += product(c, w, 0, m, s, K * D, k * D + d) / divisor * (double)h[d];
        return tanh(e);
    }
    return hidden_score(c, name, s, m, h, coverage);
}

/* Window and centre of a query: first, one after the last, p. */
static void window(const AttendCase *c, const real *s, int64_t t, int64_t S, int64_t *first, int64_t *end, double *p)
{
    const char *name = c->attend->settings.range.def->name;
    const int64_t m = c->query->shape.d[1];
    *first = 0, *end = S, *p = 0;
    if (strcmp(name, "global") == 0) return;
    if (strcmp(name, "causal") == 0) {
        *end = t + 1 < S ? t + 1 : S;
        return;
    }
    const bool hold = c->hold && t >= S;
    *p = (double)(hold ? S - 1 : t);
    if (strcmp(name, "local_p") == 0) {
        double a = 0;
        for (int64_t i = 0; i < m; i++) a += get(c, "v_position", i) * tanh(product(c, "W_position", 0, m, s, m, i));
        *p = (double)S / (1 + exp(-a));
    }
    while (*first < S && (double)*first < *p - 2) ++*first;
    while (*end > 0 && (double)(*end - 1) > *p + 2) --*end;
    assert_true(S == 0 || *first < *end || (t == 3 && S == 1 && !hold));
}

/* Weights of one row of a slot by softmax and, for local_p, the Gaussian. */
static void soft_row(const AttendCase *c, const AttendPass *p, int64_t slot, int64_t k, const double *coverage,
                     double *w)
{
    const int64_t m = c->query->shape.d[1], at = case_offset[p->sentence[slot]];
    const int64_t S = case_offset[p->sentence[slot] + 1] - at;
    const real *s = c->query->value + slot * m;
    int64_t first, end;
    double place, sum = 0;
    window(c, s, p->step[slot], S, &first, &end, &place);
    for (int64_t j = 0; j < S; j++) {
        w[j] = j < first || j >= end ? 0 : exp(formula(c, s, c->key->value + (at + j) * D, j, k, coverage[j]));
        sum += w[j];
    }
    for (int64_t j = first; j < end; j++) {
        w[j] /= sum;
        if (strcmp(c->attend->settings.range.def->name, "local_p") == 0)
            w[j] *= exp(-((double)j - place) * ((double)j - place) / 2);
    }
}

static void compare(AttendCase *c, const char *what)
{
    Arena a = {0};
    AttendPass p;
    double coverage[CASE_EXAMPLES][CASE_LONGEST] = {{0}};
    case_pass(c, &a, &p, false);
    for (int64_t slot = 0; slot < CASE_SLOTS; slot++) {
        const int64_t at = case_offset[p.sentence[slot]], S = case_offset[p.sentence[slot] + 1] - at;
        for (int64_t k = 0; k < attend_heads(c->attend); k++) {
            double w[CASE_LONGEST], context[D] = {0};
            soft_row(c, &p, slot, k, coverage[p.sentence[slot]], w);
            for (int64_t j = 0; j < S; j++) {
                CHECK(fabs((double)p.weight[slot][k][j] - w[j]) < 1e-12 && (w[j] != 0 || p.weight[slot][k][j] == 0),
                      "%s: slot %d, row %d, key %d: %.15g instead of %.15g", what, (int)slot, (int)k, (int)j,
                      (double)p.weight[slot][k][j], w[j]);
                if (k == 0) coverage[p.sentence[slot]][j] += w[j];
                for (int64_t d = 0; d < D; d++) context[d] += w[j] * (double)c->key->value[(at + j) * D + d];
            }
            for (int64_t d = 0; d < D; d++) CHECK_NEAR(p.context[slot][k * D + d], context[d], 1e-12);
        }
    }
    if (attend_covers(c->attend))
        for (int64_t b = 0; b < CASE_EXAMPLES; b++)
            for (int64_t j = case_offset[b]; j < case_offset[b + 1]; j++)
                CHECK_NEAR(p.coverage[j], coverage[b][j - case_offset[b]], 1e-12);
    arena_close(&a);
}

static void check_formula(const char *score, const char *range, bool coverage, bool hold)
{
    AttendCase c;
    const AttendSettings s = case_settings(score, "soft", range);
    if (coverage) attend_cover(&s);
    if (hold) attend_put(&s.range, "past_end", "hold");
    case_open(&c, &s);
    c.hold = hold;
    compare(&c, score);
    arena_close(&c.run);
}

TEST(soft_attention_is_its_formula_in_every_range)
{
    for (int i = 0; score_name(i); i++)
        for (int k = 0; range_name(k); k++)
            for (int coverage = 0; coverage <= (score_find(score_name(i))->hidden ? 1 : 0); coverage++)
                for (int hold = 0; hold <= (strcmp(range_name(k), "local_m") == 0); hold++)
                    check_formula(score_name(i), range_name(k), coverage, hold);
}

/* scaled: false, and its gradients. */
TEST(bilinear_scores_may_learn_their_matrix_itself)
{
    static const char *const score[] = {"general", "multi_dim"};
    for (int i = 0; i < 2; i++) {
        AttendCase c;
        const AttendSettings s = case_settings(score[i], "soft", "global");
        attend_put(&s.score, "scaled", "false");
        case_open(&c, &s);
        c.plain = true;
        compare(&c, score[i]);
        case_check_gradient(&c, score[i], 1e-8);
        arena_close(&c.run);
    }
}

/* What the attention adds to the loss: the loss of a pass with it less that of a pass without. */
static double added(const char *score, const char *range, double orthogonality, double coverage_loss, AttendPass *p)
{
    double loss[2];
    for (int with = 0; with < 2; with++) {
        Arena a = {0};
        AttendCase c;
        AttendSettings s = case_settings(score, "soft", range);
        if (score_many(&s.score)) attend_put_number(&s.score, "orthogonality", with ? orthogonality : 0);
        s.coverage_loss = with ? coverage_loss : 0;
        case_open(&c, &s);
        case_pass(&c, &a, p, false);
        loss[with] = p->loss;
        arena_close(&a);
        arena_close(&c.run);
    }
    return loss[1] - loss[0];
}

/* lambda sum over the queries of ||A A^T - I||_F^2, A (K,S); queries that see no key do not count */
TEST(the_penalty_on_equal_rows_is_its_formula)
{
    for (int r = 0; range_name(r); r++) {
        AttendPass p;
        const double got = added("multi_dim", range_name(r), 0.3, 0, &p);
        double want = 0;
        for (int64_t slot = 0; slot < CASE_SLOTS; slot++)
            for (int64_t k = 0; k < K && inner(CASE_LONGEST, p.weight[slot][0], p.weight[slot][0]) > 0; k++)
                for (int64_t l = 0; l < K; l++) {
                    const double excess = inner(CASE_LONGEST, p.weight[slot][k], p.weight[slot][l]) - (k == l);
                    want += 0.3 * excess * excess;
                }
        CHECK_NEAR(got, want, 1e-12);
    }
}

/* lambda sum over the queries of sum_j min(a_j, sum of the a_j of the queries before) */
TEST(the_coverage_loss_is_its_formula)
{
    for (int r = 0; range_name(r); r++) {
        AttendPass p;
        const double got = added("general", range_name(r), 0, 0.7, &p);
        double want = 0, seen[CASE_EXAMPLES][CASE_LONGEST] = {{0}};
        for (int64_t slot = 0; slot < CASE_SLOTS; slot++)
            for (int64_t j = 0; j < CASE_LONGEST; j++) {
                const double a = (double)p.weight[slot][0][j];
                want += 0.7 * fmin(a, seen[p.sentence[slot]][j]);
                seen[p.sentence[slot]][j] += a;
            }
        CHECK(want > 0.7, "nothing was looked at twice");
        CHECK_NEAR(got, want, 1e-12);
    }
}

/* -lambda sum over the queries that are told of log a of the key they are told; those of an example without keys have
 * none, and one is told nothing */
TEST(the_guide_is_its_formula)
{
    static const int32_t wanted[CASE_SLOTS] = {0, 6, 4, -1, 0, 5, -1, 0, 3, 0};
    double loss[2], want = 0;
    for (int with = 0; with < 2; with++) {
        Arena a = {0};
        AttendCase c;
        AttendPass p;
        const AttendSettings s = case_settings("general", "soft", "global");
        case_open_guided(&c, &s, with ? 0.6 : 0);
        c.wanted = wanted;
        case_pass(&c, &a, &p, false);
        loss[with] = p.loss;
        for (int64_t slot = 0; with && slot < CASE_SLOTS; slot++)
            if (wanted[slot] >= 0) want -= 0.6 * log((double)p.weight[slot][0][wanted[slot]]);
        arena_close(&a);
        arena_close(&c.run);
    }
    CHECK(isfinite(want) && want > 1, "%g is no telling sum", want);
    CHECK_NEAR(loss[1] - loss[0], want, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(soft_attention_is_its_formula_in_every_range),
                                       RUN(bilinear_scores_may_learn_their_matrix_itself),
                                       RUN(the_penalty_on_equal_rows_is_its_formula),
                                       RUN(the_coverage_loss_is_its_formula), RUN(the_guide_is_its_formula)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
