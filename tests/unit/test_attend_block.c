/* Attention of all queries at once: against the same queries step by step, with values of their own, and into the
 * future. */
#include <stdio.h>

#include "attend_batch.h"

enum { BOUND = 12 };

static void near(const char *what, int64_t n, const real *a, const real *b)
{
    for (int64_t i = 0; i < n; i++)
        CHECK(fabs((double)(a[i] - b[i])) <= 1e-5 * fmax(1, fabs((double)a[i])), "%s: number %d: %g and %g", what,
              (int)i, (double)a[i], (double)b[i]);
}

/* What a query gets hangs on no other, so it is the same bit for bit; sums over queries are made in another order. */
static void check_whole(const char *score, const char *select, const char *range)
{
    static const int64_t length[] = {7, 0, 12, 1};
    char what[96];
    snprintf(what, sizeof what, "%s %s %s", score, select, range);
    BatchCase one, all;
    const AttendSettings s = batch_settings(score, select, range);
    batch_open(&one, &s, 19, 19, BOUND);
    batch_open(&all, &s, 19, 19, BOUND);
    batch_lengths(&one, 4, length, 5);
    batch_lengths(&all, 4, length, 5);
    all.whole = true;
    batch_run(&one, true);
    batch_run(&all, true);
    const int64_t w = attend_width(one.attend);
    CHECK(memcmp(one.context, all.context, (size_t)(20 * w) * sizeof(real)) == 0, "%s: contexts", what);
    CHECK(memcmp(one.d_query, all.d_query, 20 * 19 * sizeof(real)) == 0, "%s: gradients of queries", what);
    for (int64_t b = 0; b < 4; b++)
        for (int64_t t = 0; t < 5; t++)
            CHECK(memcmp(batch_weights(&one, b, t), batch_weights(&all, b, t),
                         (size_t)(attend_heads(one.attend) * length[b]) * sizeof(real)) == 0,
                  "%s: weights", what);
    near(what, 20 * 19, one.d_key, all.d_key);
    near(what, one.params.dense, one.params.grad, all.params.grad);
    batch_close(&one);
    batch_close(&all);
}

TEST(all_queries_at_once_get_what_they_get_step_by_step)
{
    for (int i = 0; score_name(i); i++)
        for (int j = 0; select_name(j); j++)
            for (int k = 0; range_name(k); k++)
                if (!attend_refuses(score_name(i), select_name(j), range_name(k), NULL))
                    check_whole(score_name(i), select_name(j), range_name(k));
}

/* --- On the tape: a sequence asks itself. --- */

enum { WIDTH = 9, ROWS = 10 };
static const int64_t offset[] = {0, 6, 6, 7, 10};
static const Segments segments = {4, offset};
static const uint64_t row_key[] = {11, 12, 13, 14};

typedef struct Self {
    Arena run, step;
    Params params;
    Attend *attend;
    real x[ROWS * WIDTH];
} Self;

static void self_open(Self *c, const AttendSettings *s)
{
    *c = (Self){.x = {0}};
    c->params.arena = &c->run;
    const AttendUse use = {.apply = "self", .keys = WIDTH, .query = WIDTH, .longest = BOUND};
    CHECK_OK(attend_build(&c->attend, &c->params, s, use, "attend"));
    CHECK_OK(params_allocate(&c->params, 9));
    for (int i = 0; i < ROWS * WIDTH; i++) c->x[i] = gradient_number((uint64_t)i + 1);
}

static void self_close(Self *c)
{
    arena_close(&c->step);
    arena_close(&c->run);
}

static const real *self_forward(Self *c)
{
    Tape t = tape_begin(&c->step);
    t.train = true;
    Node *x = tape_leaf(&t, SHAPE2(ROWS, WIDTH), c->x, NULL);
    Node *y = attend_node(
        c->attend, &t, &(AttendAsk){.query = x, .queries = segments, .key = x, .keys = segments, .row_key = row_key});
    CHECK_OK(tape_status(&t));
    return y->value;
}

/* Positions from 3 of the first example on become others: what stands before keeps its bits, what comes after does not
 * (a choice may stay). */
static void check_future(const AttendSettings *s)
{
    Self c;
    self_open(&c, s);
    const int64_t w = attend_width(c.attend);
    const real *before = self_forward(&c);
    for (int i = 3 * WIDTH; i < 6 * WIDTH; i++) c.x[i] += gradient_number((uint64_t)i + 500);
    const real *after = self_forward(&c);
    CHECK(memcmp(before, after, (size_t)(3 * w) * sizeof(real)) == 0, "%s %s: the future changes the past",
          s->score.def->name, s->select.def->name);
    CHECK(c.attend->select->chooses || memcmp(before + 3 * w, after + 3 * w, (size_t)(3 * w) * sizeof(real)) != 0,
          "%s %s: nothing changed", s->score.def->name, s->select.def->name);
    CHECK(memcmp(before + 6 * w, after + 6 * w, (size_t)(4 * w) * sizeof(real)) == 0, "%s %s: other examples changed",
          s->score.def->name, s->select.def->name);
    self_close(&c);
}

TEST(a_causal_range_sees_nothing_of_the_future)
{
    for (int i = 0; score_name(i); i++)
        for (int j = 0; select_name(j); j++) {
            const AttendSettings s = batch_settings(score_name(i), select_name(j), "causal");
            if (!attend_refuses(score_name(i), select_name(j), "causal", "self")) check_future(&s);
        }
}

/* The first position sees itself alone, so its weight is 1 and its context its own row. */
TEST(the_first_position_of_a_causal_range_gets_itself)
{
    Self c;
    const AttendSettings s = batch_settings("scaled_dot", "soft", "causal");
    self_open(&c, &s);
    const real *y = self_forward(&c);
    for (int b = 0; b < 4; b++)
        for (int i = 0; i < WIDTH && offset[b] < offset[b + 1]; i++)
            assert_true(y[offset[b] * WIDTH + i] == c.x[offset[b] * WIDTH + i]);
    self_close(&c);
}

TEST(what_does_not_fit_is_refused)
{
    static const int64_t three[] = {0, 5, 7, 10};
    Self c;
    const AttendSettings s = batch_settings("general", "soft", "global");
    self_open(&c, &s);
    Tape t = tape_begin(&c.step);
    Node *x = tape_leaf(&t, SHAPE2(ROWS, WIDTH), c.x, NULL);
    (void)attend_node(c.attend, &t, &(AttendAsk){.query = x, .queries = {3, three}, .key = x, .keys = segments});
    CHECK_SAYS(tape_status(&t), ERR_INTERNAL, "attention of (10,9) to (10,9)");
    t = tape_begin(&c.step);
    (void)attend_node(c.attend, &t, &(AttendAsk){.key = x, .keys = segments});
    CHECK_SAYS(tape_status(&t), ERR_INTERNAL, "attention of no query to (10,9)");
    self_close(&c);
}

TEST(coverage_is_for_queries_that_come_one_after_the_other)
{
    Self c = {.x = {0}};
    c.params.arena = &c.run;
    const AttendSettings s = batch_settings("additive", "soft", "global");
    const AttendUse use = {.apply = "self", .keys = 4, .query = 4};
    attend_cover(&s);
    CHECK_SAYS(attend_build(&c.attend, &c.params, &s, use, "attend"), ERR_CONFIG,
               "coverage is of queries that come one after the other, not all at once (self)");
    self_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(all_queries_at_once_get_what_they_get_step_by_step), RUN(a_causal_range_sees_nothing_of_the_future),
        RUN(the_first_position_of_a_causal_range_gets_itself), RUN(what_does_not_fit_is_refused),
        RUN(coverage_is_for_queries_that_come_one_after_the_other)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
