/* Every score of the table: gradients of its parameters and of its keys, and attention weights that sum to 1. */
#include <stdio.h>

#include "attend_settings.h"
#include "gradient.h"
#include "trainer/attention/pool.h"

enum { N = 6, D = 5, A = 3, K = 2 };
static const int64_t offset[] = {0, 3, 3, 4, 6};
static const Segments segments = {4, offset};

typedef struct Pooling {
    Arena run;
    Params params;
    Param *keys; /* the keys as a parameter, so that their gradient is checked with the others */
    Pool pool;
    double penalty;
} Pooling;

static void open(Pooling *p, const char *name, double penalty)
{
    *p = (Pooling){.pool = {.view = {.name = "word"}}};
    p->params.arena = &p->run;
    CHECK_OK(param_add(&p->keys, &p->params, "keys", SHAPE2(N, D), INIT_NORMAL, 1));
    const AttendSettings parts = attend_settings(name, "soft", "global", A, K, 1);
    const bool wide = strcmp(name, "general") == 0 || strcmp(name, "location") == 0 || strcmp(name, "multi_dim") == 0;
    const PoolSettings s = {.score = parts.score, .select = parts.select, .range = parts.range, .query = wide ? A : 0};
    if (score_many(&s.score)) attend_put_number(&s.score, "orthogonality", penalty);
    CHECK_OK(pool_build(&p->pool, &p->params, &s, D, 4, "pool"));
    CHECK_OK(params_allocate(&p->params, 9));
    for (int i = 1; i < p->params.n; i++) /* biases and queries that are not near 0 */
        for (int64_t j = 0; j < p->params.item[i]->count; j++)
            p->params.item[i]->value[j] += gradient_number((uint64_t)(50 * i + j)) / 2;
}

static Node *loss(Tape *t, void *context)
{
    Pooling *p = context;
    Node *penalty = NULL;
    Node *y = pool_forward(&p->pool, t, tape_param(t, p->keys), segments, NULL, &penalty);
    assert_int_equal(y->shape.d[0], segments.n);
    assert_int_equal(y->shape.d[1], pool_width(&p->pool));
    Node *sum = gradient_loss(t, y);
    return penalty ? op_add(t, sum, penalty) : sum;
}

TEST(gradient_of_every_score)
{
    for (int i = 0; score_name(i); i++)
        for (int plain = 0; plain < 2; plain++) {
            Pooling p;
            open(&p, score_name(i), 0.3);
            if (plain) p.pool.fused = NULL;
            gradient_check_params(&p.params, loss, &p, 1e-8);
            arena_close(&p.run);
        }
}

static double get(const Pooling *p, const char *name, int64_t i)
{
    char path[64];
    snprintf(path, sizeof path, "pool/%s", name);
    const Param *found = params_find(&p->params, path);
    CHECK(found, "no parameter %s", path);
    return (double)found->value[i];
}

/* sum_d x_d W_da + what is given */
static double hidden(const Pooling *p, const char *W, int a, const real *h, double more)
{
    for (int d = 0; d < D; d++) more += (double)h[d] * get(p, W, d * A + a);
    return more;
}

/* The formulas of the catalogue, written out: score k of key h at that position of its segment. */
static double formula(const Pooling *p, const char *name, const real *h, int position, int k)
{
    double e = 0, hh = 0, ss = 0;
    real query[D];
    for (int d = 0; d < D; d++) query[d] = 0;
    if (strcmp(name, "additive") == 0)
        for (int a = 0; a < A; a++) e += get(p, "context", a) * tanh(hidden(p, "W", a, h, get(p, "b", a)));
    if (strcmp(name, "concat") == 0 || strcmp(name, "mlp") == 0) {
        const bool mlp = name[0] == 'm';
        for (int d = 0; d < D; d++) query[d] = (real)get(p, "query", d);
        for (int a = 0; a < A; a++) {
            const double s = hidden(p, mlp ? "W1_query" : "W_query", a, query, mlp ? get(p, "b1", a) : 0);
            e += get(p, mlp ? "w2" : "context", a) * tanh(hidden(p, mlp ? "W1" : "W", a, h, s));
        }
        if (mlp) e = 1 / (1 + exp(-(e + get(p, "b2", 0))));
    }
    for (int d = 0; d < D; d++) {
        if (strstr(name, "dot")) e += get(p, "context", d) * (double)h[d];
        if (strcmp(name, "cosine") == 0) {
            e += get(p, "context", d) * (double)h[d];
            hh += (double)h[d] * (double)h[d];
            ss += get(p, "context", d) * get(p, "context", d);
        }
        for (int a = 0; a < A && strcmp(name, "general") == 0; a++)
            e += get(p, "context", a) * get(p, "W", a * D + d) * (double)h[d];
        for (int a = 0; a < A && strcmp(name, "multi_dim") == 0; a++)
            e += get(p, "context", a) * get(p, "W", a * K * D + k * D + d) * (double)h[d];
    }
    for (int a = 0; a < A && strcmp(name, "location") == 0; a++)
        e += get(p, "W", position * A + a) * get(p, "context", a);
    if (strcmp(name, "scaled_dot") == 0) e /= sqrt(D);
    if (strcmp(name, "cosine") == 0) e *= exp(get(p, "log_beta", 0)) / sqrt(hh * ss);
    if (strcmp(name, "multi_dim") == 0) e = tanh(e);
    return e;
}

/* Weights and contexts against softmax and sum of the formulas, with and without the fused operation. */
static void compare(const Pooling *p, const char *name, const Node *y, const Node *weight)
{
    const int64_t columns = attend_heads(p->pool.attend);
    for (int64_t s = 0; s < segments.n; s++)
        for (int64_t k = 0; k < columns; k++) {
            double sum = 0, context[D] = {0};
            for (int64_t r = offset[s]; r < offset[s + 1]; r++)
                sum += exp(formula(p, name, p->keys->value + r * D, (int)(r - offset[s]), (int)k));
            for (int64_t r = offset[s]; r < offset[s + 1]; r++) {
                const double w = exp(formula(p, name, p->keys->value + r * D, (int)(r - offset[s]), (int)k)) / sum;
                CHECK(fabs((double)weight->value[r * columns + k] - w) < 1e-12, "%s, row %d: %.12g instead of %.12g",
                      name, (int)r, (double)weight->value[r * columns + k], w);
                for (int d = 0; d < D; d++) context[d] += w * (double)p->keys->value[r * D + d];
            }
            for (int d = 0; d < D; d++) CHECK_NEAR(y->value[(s * columns + k) * D + d], context[d], 1e-12);
        }
}

TEST(every_score_is_its_formula)
{
    for (int i = 0; score_name(i); i++)
        for (int plain = 0; plain < 2; plain++) {
            Pooling p;
            Arena step = {0};
            Node *penalty = NULL;
            open(&p, score_name(i), 0);
            if (plain) p.pool.fused = NULL;
            Tape t = tape_begin(&step);
            t.watch = true;
            const Node *y = pool_forward(&p.pool, &t, tape_param(&t, p.keys), segments, NULL, &penalty);
            CHECK_OK(tape_status(&t));
            compare(&p, score_name(i), y, t.views->weight);
            arena_close(&step);
            arena_close(&p.run);
        }
}

/* What has an operation of its own gives the plain one's results and gradients. */
TEST(a_fused_pooling_is_the_plain_one)
{
    int fused = 0;
    for (int i = 0; score_name(i); i++) {
        Pooling p;
        Arena step = {0};
        double value[2], grad[2][N * D + 2 * D * A + 2 * A + D] = {{0}};
        open(&p, score_name(i), 0);
        fused += p.pool.fused != NULL;
        for (int plain = p.pool.fused ? 0 : 2; plain < 2; plain++) {
            if (plain) p.pool.fused = NULL;
            params_zero_grad(&p.params);
            Tape t = gradient_tape(&step);
            Node *sum = loss(&t, &p);
            CHECK_OK(tape_backward(&t, sum, 1));
            value[plain] = (double)sum->value[0];
            assert_true(p.params.count <= (int64_t)(sizeof grad[0] / sizeof grad[0][0]));
            for (int64_t j = 0; j < p.params.count; j++) grad[plain][j] = (double)p.params.grad[j];
            if (!plain) continue;
            CHECK_NEAR(value[0], value[1], 1e-12);
            for (int64_t j = 0; j < p.params.count; j++) CHECK_NEAR(grad[0][j], grad[1][j], 1e-12);
        }
        arena_close(&step);
        arena_close(&p.run);
    }
    assert_int_equal(fused, 2);
}

TEST(weights_sum_to_one_in_every_segment)
{
    for (int i = 0; score_name(i); i++) {
        Pooling p;
        Arena step = {0};
        open(&p, score_name(i), 0);
        Tape t = tape_begin(&step);
        t.watch = true;
        (void)loss(&t, &p);
        CHECK_OK(tape_status(&t));
        const TapeView *v = t.views;
        assert_non_null(v);
        assert_string_equal(v->name, "word");
        const int64_t columns = shape_count(&v->weight->shape) / N;
        assert_int_equal(columns * D, pool_width(&p.pool));
        for (int64_t s = 0; s < segments.n; s++)
            for (int64_t k = 0; k < columns && offset[s] < offset[s + 1]; k++) {
                double sum = 0;
                for (int64_t r = offset[s]; r < offset[s + 1]; r++) sum += (double)v->weight->value[r * columns + k];
                CHECK_NEAR(sum, 1, 1e-14);
            }
        arena_close(&step);
        arena_close(&p.run);
    }
}

TEST(every_allocation_may_fail)
{
    for (int i = 0; score_name(i); i++)
        for (long n = 1;; n++) {
            Pooling p;
            Arena step = {.fail_in = n};
            open(&p, score_name(i), 0.3);
            Tape t = gradient_tape(&step);
            Node *penalty = NULL;
            Node *y = pool_forward(&p.pool, &t, tape_param(&t, p.keys), segments, NULL, &penalty);
            Node *sum = gradient_loss(&t, y);
            if (penalty) sum = op_add(&t, sum, penalty);
            const Status st = tape_status(&t) == OK ? tape_backward(&t, sum, 1) : tape_status(&t);
            const bool reached = step.fail_in == 0;
            arena_close(&step);
            arena_close(&p.run);
            CHECK(st == (reached ? ERR_HOST : OK), "%s: allocation %ld: status %d", score_name(i), n, (int)st);
            if (!reached) break;
        }
}

TEST(location_refuses_a_segment_that_is_too_long)
{
    static const int64_t all[] = {0, N};
    Pooling p;
    Arena step = {0};
    open(&p, "location", 0);
    Tape t = tape_begin(&step);
    Node *penalty = NULL;
    (void)pool_forward(&p.pool, &t, tape_param(&t, p.keys), (Segments){1, all}, NULL, &penalty);
    CHECK_SAYS(tape_status(&t), ERR_DATA, "score location: 6 keys, but it has positions for 4");
    arena_close(&step);
    arena_close(&p.run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(gradient_of_every_score),          RUN(every_score_is_its_formula),
        RUN(a_fused_pooling_is_the_plain_one), RUN(weights_sum_to_one_in_every_segment),
        RUN(every_allocation_may_fail),        RUN(location_refuses_a_segment_that_is_too_long)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
