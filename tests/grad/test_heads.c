/* Attention in heads: gradients of everything, the formula in plain loops, weights that sum to 1, and the future. */
#include <stdio.h>

#include "attend_settings.h"
#include "gradient.h"
#include "trainer/attention/heads.h"

enum { M = 5, N = 7, D = 5, E = 4, H = 2, OUT = 3 };
static const int64_t of_queries[] = {0, 2, 3, 5}, of_keys[] = {0, 4, 4, 7};
static const Segments queries = {3, of_queries}, keys = {3, of_keys};
static const uint64_t row_key[] = {11, 12, 13};

typedef struct Headed {
    Arena run;
    Params params;
    Param *query, *key, *value; /* (M,D - 1) (N,D) (N,D + 1) */
    Heads heads;
} Headed;

static void declare(Headed *c, bool self, bool valued)
{
    *c = (Headed){.query = NULL};
    c->params.arena = &c->run;
    if (!self) CHECK_OK(param_add(&c->query, &c->params, "query", SHAPE2(M, D - 1), INIT_NORMAL, 1));
    CHECK_OK(param_add(&c->key, &c->params, "key", SHAPE2(N, D), INIT_NORMAL, 1));
    if (valued) CHECK_OK(param_add(&c->value, &c->params, "value", SHAPE2(N, D + 1), INIT_NORMAL, 1));
}

static HeadsSizes sizes(bool self, bool valued, int64_t heads)
{
    return (HeadsSizes){.heads = heads,
                        .width = E,
                        .query = self ? D : D - 1,
                        .key = D,
                        .value = valued ? D + 1 : 0,
                        .output = OUT,
                        .longest = 4,
                        .apply = self ? "self" : "cross"};
}

static void open(Headed *c, const AttendSettings *s, bool self, bool valued)
{
    declare(c, self, valued);
    CHECK_OK(heads_build(&c->heads, &c->params, s, sizes(self, valued, H), "heads"));
    CHECK_OK(params_allocate(&c->params, 9));
    for (int i = 0; i < c->params.n; i++)
        for (int64_t j = 0; j < c->params.item[i]->count; j++)
            c->params.item[i]->value[j] += gradient_number((uint64_t)(50 * i + j)) / 4;
}

static const TapeView block = {
    .name = "block", .layer = 1, .rows = {.unit = AXIS_WORDS}, .columns = {.unit = AXIS_WORDS}};

static Node *forward(Tape *t, Headed *c, Node **penalty)
{
    return heads_forward(&c->heads, t,
                         &(HeadsAsk){.query = c->query ? tape_param(t, c->query) : NULL,
                                     .key = tape_param(t, c->key),
                                     .value = c->value ? tape_param(t, c->value) : NULL,
                                     .queries = queries,
                                     .keys = keys,
                                     .row_key = row_key,
                                     .view = &block},
                         penalty);
}

static Node *loss(Tape *t, void *context)
{
    Node *penalty = NULL, *sum = gradient_loss(t, forward(t, context, &penalty));
    return penalty ? op_add(t, sum, penalty) : sum;
}

static AttendSettings settings(const char *score, const char *select, const char *range)
{
    const AttendSettings s = attend_settings(score, select, range, 3, 2, 1);
    if (score_many(&s.score)) attend_put(&s.score, "orthogonality", "0.3");
    return s;
}

static bool differentiable(const char *select)
{
    return !select_find(select)->chooses || strcmp(select, "gumbel") == 0;
}

static void each(bool all, void (*work)(Headed *c, const AttendSettings *s), int *count)
{
    for (int i = 0; score_name(i); i++)
        for (int j = 0; select_name(j); j++)
            for (int k = 0; range_name(k); k++)
                for (int self = 0; self < 2; self++) {
                    const char *score = score_name(i), *select = select_name(j), *range = range_name(k);
                    if (attend_refuses(score, select, range, self ? "self" : "cross")) continue;
                    if (!all && !differentiable(select)) continue;
                    const AttendSettings s = settings(score, select, range);
                    Headed c;
                    open(&c, &s, self, (i + j + k) % 2 == 0);
                    work(&c, &s);
                    arena_close(&c.run);
                    ++*count;
                }
}

/* Where the support of 1.5-entmax changes within a difference, its second derivative jumps. */
static void check_gradient(Headed *c, const AttendSettings *s)
{
    gradient_check_params(&c->params, loss, c, strcmp(s->select.def->name, "entmax15") == 0 ? 1e-6 : 1e-7);
}

TEST(gradient_of_every_combination_of_score_selection_and_range)
{
    int count = 0;
    each(false, check_gradient, &count);
    assert_int_equal(count, (9 * 4 - 2) * (4 + 3)); /* all but gumbel with mlp and multi_dim */
}

/* Every head has its view: weights >= 0 that sum to 1 unless a Gaussian multiplies them, and 0 in the future. */
static void check_weights(Headed *c, const AttendSettings *s)
{
    Arena step = {0};
    Tape t = tape_begin(&step);
    t.train = t.watch = true;
    (void)loss(&t, c);
    CHECK_OK(tape_status(&t));
    const bool gaussian = strcmp(s->range.def->name, "local_p") == 0 && !((const SelectDef *)s->select.def)->chooses;
    int seen = 0;
    for (const TapeView *v = t.views; v; v = v->next) {
        assert_string_equal(v->name, "block");
        assert_int_equal(v->layer, 1);
        assert_int_equal(v->rows.unit, AXIS_WORDS);
        seen |= 1 << v->head;
        const int64_t K = v->weight->shape.d[1];
        assert_int_equal(v->keys.n, c->query ? M : N);
        for (int64_t i = 0; i < v->keys.n; i++)
            for (int64_t k = 0; k < K; k++) {
                const int64_t *example = c->query ? of_queries : of_keys;
                const int64_t at = i < example[1] ? 0 : i < example[2] ? example[1] : example[2];
                double sum = 0;
                for (int64_t j = v->keys.offset[i]; j < v->keys.offset[i + 1]; j++) {
                    const double w = (double)v->weight->value[j * K + k];
                    if (strcmp(s->range.def->name, "causal") == 0 && j - v->keys.offset[i] > i - at)
                        assert_true(w == 0);
                    assert_true(w >= 0);
                    sum += w;
                }
                if (v->keys.offset[i] == v->keys.offset[i + 1]) continue;
                CHECK(gaussian ? sum > 0 && sum <= 1 + 1e-12 : fabs(sum - 1) < 1e-12, "%s %s %s: a sum of %g",
                      s->score.def->name, s->select.def->name, s->range.def->name, sum);
            }
    }
    assert_int_equal(seen, (1 << H) - 1);
    arena_close(&step);
}

TEST(weights_of_every_head_sum_to_one_and_masked_ones_are_nothing)
{
    int count = 0;
    each(true, check_weights, &count);
    assert_true(count > 200);
}

/* --- Scaled dots over the whole sequence or the past, written out. --- */

static double get(const Headed *c, const char *name, int64_t i)
{
    const Param *p = params_find(&c->params, name);
    CHECK(p, "no parameter %s", name);
    assert_true(i < p->count);
    return (double)p->value[i];
}

/* Column `column` of rows times the product of that name. */
static double projected(const Headed *c, const Param *x, int64_t row, const char *w, const char *b, int64_t columns,
                        int64_t column)
{
    double sum = get(c, b, column);
    const int64_t width = x->shape.d[1];
    for (int64_t i = 0; i < width; i++) sum += (double)x->value[row * width + i] * get(c, w, i * columns + column);
    return sum;
}

static void check_formula(bool self, bool valued, bool causal)
{
    Headed c;
    Arena step = {0};
    const AttendSettings s = settings("scaled_dot", "soft", causal ? "causal" : "global");
    open(&c, &s, self, valued);
    Tape t = tape_begin(&step);
    Node *penalty = NULL;
    const Node *y = forward(&t, &c, &penalty);
    CHECK_OK(tape_status(&t));
    const Param *asks = self ? c.key : c.query;
    const char *qw = self ? "heads/key/W" : "heads/query/W", *qb = self ? "heads/key/b" : "heads/query/b";
    const int64_t parts = 1 + self + !valued, qc = self ? parts * E : E, kc = parts * E;
    const int64_t *example = self ? of_keys : of_queries;
    for (int64_t b = 0; b < 3; b++)
        for (int64_t i = example[b]; i < example[b + 1]; i++) {
            double context[E] = {0};
            for (int64_t h = 0; h < H; h++) {
                double w[N] = {0}, sum = 0;
                for (int64_t j = of_keys[b]; j < of_keys[b + 1]; j++) {
                    if (causal && j > i) continue;
                    double e = 0;
                    for (int64_t d = h * E / H; d < (h + 1) * E / H; d++)
                        e += projected(&c, asks, i, qw, qb, qc, d) *
                             projected(&c, c.key, j, "heads/key/W", "heads/key/b", kc, (self ? E : 0) + d);
                    sum += w[j] = exp(e / sqrt(E / H));
                }
                for (int64_t j = of_keys[b]; j < of_keys[b + 1]; j++)
                    for (int64_t d = h * E / H; d < (h + 1) * E / H; d++)
                        context[d] += w[j] / sum *
                                      (valued ? projected(&c, c.value, j, "heads/value/W", "heads/value/b", E, d)
                                              : projected(&c, c.key, j, "heads/key/W", "heads/key/b", kc,
                                                          (self ? 2 * E : E) + d));
            }
            for (int64_t o = 0; o < OUT; o++) {
                double want = get(&c, "heads/output/b", o);
                for (int64_t d = 0; d < E; d++) want += context[d] * get(&c, "heads/output/W", d * OUT + o);
                CHECK_NEAR(y->value[i * OUT + o], want, 1e-12);
            }
        }
    arena_close(&step);
    arena_close(&c.run);
}

TEST(heads_are_their_formula)
{
    for (int valued = 0; valued < 2; valued++) {
        check_formula(false, valued, false);
        check_formula(true, valued, false);
        check_formula(true, valued, true);
    }
}

/* --- What is refused, many heads, the future, memory. --- */

TEST(heads_that_do_not_divide_the_width_are_refused)
{
    const AttendSettings s = settings("dot", "soft", "global");
    for (int heads = 0; heads < 6; heads++) {
        if (heads == 1 || heads == 2 || heads == 4) continue;
        Headed c;
        char want[96];
        declare(&c, true, false);
        snprintf(want, sizeof want, "%d heads do not divide a width of 4 units: each needs the same number", heads);
        CHECK_SAYS(heads_build(&c.heads, &c.params, &s, sizes(true, false, heads), "heads"), ERR_CONFIG, want);
        arena_close(&c.run);
    }
}

/* More heads than an operation has inputs. */
TEST(many_heads_are_joined)
{
    Headed c;
    const AttendSettings s = settings("scaled_dot", "soft", "causal");
    declare(&c, true, false);
    HeadsSizes size = sizes(true, false, 20);
    size.width = 20;
    CHECK_OK(heads_build(&c.heads, &c.params, &s, size, "heads"));
    CHECK_OK(params_allocate(&c.params, 9));
    gradient_check_params(&c.params, loss, &c, 1e-7);
    arena_close(&c.run);
}

TEST(the_future_changes_no_earlier_bit)
{
    for (int i = 0; score_name(i); i++) {
        Headed c;
        Arena step = {0};
        Node *penalty = NULL;
        const AttendSettings s = settings(score_name(i), "soft", "causal");
        open(&c, &s, true, true);
        Tape t = tape_begin(&step);
        const Node *before = forward(&t, &c, &penalty);
        for (int64_t j = 2; j < 4; j++) {
            for (int64_t d = 0; d < D; d++) c.key->value[j * D + d] += 1;
            for (int64_t d = 0; d < D + 1; d++) c.value->value[j * (D + 1) + d] -= 1;
        }
        const Node *after = forward(&t, &c, &penalty);
        CHECK_OK(tape_status(&t));
        assert_memory_equal(before->value, after->value, 2 * OUT * sizeof(real));
        assert_memory_not_equal(before->value + 2 * OUT, after->value + 2 * OUT, OUT * sizeof(real));
        assert_memory_equal(before->value + 4 * OUT, after->value + 4 * OUT, 3 * OUT * sizeof(real));
        arena_close(&step);
        arena_close(&c.run);
    }
}

TEST(every_allocation_may_fail)
{
    const AttendSettings s = settings("multi_dim", "soft", "global");
    for (long n = 1;; n++) {
        Headed c;
        Arena step = {.fail_in = n};
        open(&c, &s, false, false);
        Tape t = gradient_tape(&step);
        t.watch = true;
        Node *sum = loss(&t, &c);
        const Status st = tape_status(&t) == OK ? tape_backward(&t, sum, 1) : tape_status(&t);
        const bool reached = step.fail_in == 0;
        arena_close(&step);
        arena_close(&c.run);
        CHECK(st == (reached ? ERR_HOST : OK), "allocation %ld: status %d", n, (int)st);
        if (!reached) break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(gradient_of_every_combination_of_score_selection_and_range),
                                       RUN(weights_of_every_head_sum_to_one_and_masked_ones_are_nothing),
                                       RUN(heads_are_their_formula),
                                       RUN(heads_that_do_not_divide_the_width_are_refused),
                                       RUN(many_heads_are_joined),
                                       RUN(the_future_changes_no_earlier_bit),
                                       RUN(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
