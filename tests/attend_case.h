/* attend_case.h - an attention over a small batch, with queries and keys as parameters: for tests of
 * trainer/attention.
 *
 * Four examples with 5, 0, 1 and 7 keys and 3, 1, 4 and 2 queries: some of the third stand behind its key, the last one
 * so far that a window of 2 is empty. At step t the rows are the examples that have a
 * query t, in an order of their own. */
#ifndef TESTS_ATTEND_CASE_H
#define TESTS_ATTEND_CASE_H
#include <stdio.h>

#include "attend_settings.h"
#include "gradient.h"

enum { CASE_EXAMPLES = 4, CASE_KEYS = 13, CASE_SLOTS = 10, CASE_WIDTH = 5, CASE_ROWS = 3, CASE_LONGEST = 8 };
static const int64_t case_offset[CASE_EXAMPLES + 1] = {0, 5, 5, 6, 13};
static const int64_t case_queries[CASE_EXAMPLES] = {3, 1, 4, 2};
static const int case_order[CASE_EXAMPLES] = {2, 3, 0, 1};

typedef struct AttendCase {
    Arena run;
    Params params;
    Param *key, *query; /* (CASE_KEYS, n)  (CASE_SLOTS, m) in the order of the slots */
    Attend *attend;
    uint64_t noise;
    bool train;
    bool hold;  /* local_m with past_end: hold, for those who compute its window */
    bool plain; /* the scores' scaled: false, likewise */
    bool quiet; /* nothing comes back through the contexts */
    const real *reward;
    const int32_t *wanted; /* (CASE_SLOTS) */
} AttendCase;

typedef struct AttendPass { /* what came out of one pass */
    real context[CASE_SLOTS][CASE_ROWS * CASE_WIDTH];
    real weight[CASE_SLOTS][CASE_ROWS][CASE_LONGEST];
    real coverage[CASE_KEYS];
    int32_t sentence[CASE_SLOTS];
    int64_t step[CASE_SLOTS];
    double loss;
} AttendPass;

static inline AttendSettings case_settings(const char *score, const char *select, const char *range)
{
    return attend_settings(score, select, range, 4, CASE_ROWS, 2);
}

/* Widths of keys and queries differ where the score allows it. */
static inline int64_t case_query(const char *score)
{
    return strstr(score, "dot") || strcmp(score, "cosine") == 0 ? CASE_WIDTH : CASE_WIDTH - 1;
}

static inline void case_open_guided(AttendCase *c, const AttendSettings *s, double guide)
{
    const int64_t m = case_query(s->score.def->name);
    *c = (AttendCase){.noise = 3, .train = true};
    c->params.arena = &c->run;
    CHECK_OK(param_add(&c->key, &c->params, "key", SHAPE2(CASE_KEYS, CASE_WIDTH), INIT_NORMAL, 1));
    CHECK_OK(param_add(&c->query, &c->params, "query", SHAPE2(CASE_SLOTS, m), INIT_NORMAL, 1));
    CHECK_OK(attend_build(&c->attend, &c->params, s,
                          (AttendUse){.keys = CASE_WIDTH, .query = m, .longest = CASE_LONGEST, .guide = guide},
                          "attend"));
    CHECK_OK(params_allocate(&c->params, 9));
    for (int i = 2; i < c->params.n; i++)
        for (int64_t j = 0; j < c->params.item[i]->count; j++)
            c->params.item[i]->value[j] += gradient_number((uint64_t)(50 * i + j)) / 2;
}

static inline void case_open(AttendCase *c, const AttendSettings *s) { case_open_guided(c, s, 0); }

static inline AttendBlock case_step(const AttendCase *c, int64_t t, int64_t slot, AttendPass *p, real **coverage)
{
    const int64_t m = c->query->shape.d[1];
    AttendBlock s = {.step = t,
                     .slot = slot,
                     .sentence = p->sentence + slot,
                     .query = c->query->value + slot * m,
                     .ld_query = m,
                     .context = p->context[slot],
                     .ld_context = CASE_ROWS * CASE_WIDTH};
    for (int i = 0; i < CASE_EXAMPLES; i++)
        if (case_queries[case_order[i]] > t) {
            p->sentence[slot + s.rows] = case_order[i];
            p->step[slot + s.rows] = t;
            coverage[s.rows++] = p->coverage + case_offset[case_order[i]];
        }
    if (attend_covers(c->attend)) s.coverage = coverage;
    return s;
}

/* sum f c over all contexts + penalty; with gradients when they are wanted */
static inline void case_pass(AttendCase *c, Arena *a, AttendPass *p, bool backward)
{
    static const uint64_t row_key[CASE_EXAMPLES] = {11, 12, 13, 14};
    const int64_t width = attend_width(c->attend), m = c->query->shape.d[1];
    real *coverage[CASE_EXAMPLES];
    *p = (AttendPass){0};
    AttendRun *run;
    CHECK_OK(attend_open(&run, c->attend, a,
                         &(AttendBatch){.key = c->key->value,
                                        .keys = {CASE_EXAMPLES, case_offset},
                                        .slots = CASE_SLOTS,
                                        .train = c->train,
                                        .backward = backward,
                                        .noise = random_key(c->noise, RANDOM_SELECT, 1),
                                        .row_key = row_key,
                                        .wanted = c->wanted}));
    int64_t slot = 0, start[4];
    for (int64_t t = 0; t < 4; t++) {
        start[t] = slot;
        const AttendBlock s = case_step(c, t, slot, p, coverage);
        attend_forward(run, &s);
        for (int64_t i = 0; i < s.rows; i++, slot++) {
            const int64_t keys = case_offset[s.sentence[i] + 1] - case_offset[s.sentence[i]];
            for (int64_t j = 0; j < attend_heads(c->attend) * keys; j++)
                p->weight[slot][j / keys][j % keys] = attend_weights(run, slot)[j];
            for (int64_t j = 0; j < width; j++)
                p->loss += (double)(p->context[slot][j] * gradient_number((uint64_t)(slot * 99 + j)));
        }
    }
    p->loss += attend_penalty(run);
    if (!backward) return;
    attend_begin_backward(run, 1, c->reward);
    for (int64_t t = 3; t >= 0; t--) {
        AttendPass unused;
        real d_context[CASE_EXAMPLES][CASE_ROWS * CASE_WIDTH];
        const AttendBlock s = case_step(c, t, start[t], &unused, coverage);
        for (int64_t i = 0; i < s.rows; i++)
            for (int64_t j = 0; j < width; j++)
                d_context[i][j] = c->quiet ? 0 : gradient_number((uint64_t)((start[t] + i) * 99 + j));
        attend_backward(run, &s, d_context[0], CASE_ROWS * CASE_WIDTH, c->query->grad + start[t] * m, m);
    }
    CHECK_OK(attend_finish(run, c->key->grad, NULL));
}

/* Every element of every parameter, keys and queries too. */
static inline void case_check_gradient(AttendCase *c, const char *what, double tolerance)
{
    Arena a = {0};
    AttendPass p;
    params_zero_grad(&c->params);
    case_pass(c, &a, &p, true);
    for (int i = 0; i < c->params.n; i++) {
        const Param *q = c->params.item[i];
        for (int64_t j = 0; j < q->count; j++) {
            double side[2];
            const real keep = q->value[j];
            for (int s = 0; s < 2; s++) {
                const ArenaMark mark = arena_mark(&a);
                q->value[j] = keep + (real)(s ? -GRADIENT_STEP : GRADIENT_STEP);
                case_pass(c, &a, &p, false);
                side[s] = p.loss;
                arena_release(&a, mark);
            }
            q->value[j] = keep;
            const double want = (side[0] - side[1]) / (2 * GRADIENT_STEP);
            if (!(fabs((double)q->grad[j] - want) <= tolerance * fmax(1, fabs(want))))
                fail_msg("%s: %s[%lld]: gradient %.12g, difference %.12g", what, q->name, (long long)j,
                         (double)q->grad[j], want);
        }
    }
    arena_close(&a);
}

/* Calls work(case, name) for all that go together. */
static inline void case_each(void (*work)(AttendCase *c, const char *what))
{
    int allowed = 0;
    for (int i = 0; score_name(i); i++)
        for (int j = 0; select_name(j); j++)
            for (int k = 0; range_name(k); k++) {
                char what[96];
                snprintf(what, sizeof what, "%s %s %s", score_name(i), select_name(j), range_name(k));
                if (attend_refuses(score_name(i), select_name(j), range_name(k), NULL)) continue;
                AttendCase c;
                const AttendSettings s = case_settings(score_name(i), select_name(j), range_name(k));
                case_open(&c, &s);
                work(&c, what);
                arena_close(&c.run);
                allowed++;
            }
    assert_int_equal(allowed, (9 * 6 - 2 * 2) * 4); /* all but a draw from mlp and multi_dim */
}

#endif
