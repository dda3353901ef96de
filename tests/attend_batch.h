/* attend_batch.h - an attention over a batch of any lengths, each example with the same number of queries, in whatever
 * number type the test is built with. */
#ifndef TESTS_ATTEND_BATCH_H
#define TESTS_ATTEND_BATCH_H
#include "attend_settings.h"
#include "gradient.h"

enum { BATCH_MOST = 8 };

typedef struct BatchCase {
    Arena run, step;
    Params params;
    Attend *attend;
    AttendRun *pass;
    int64_t width, m;
    int64_t examples, steps;
    int64_t length[BATCH_MOST], offset[BATCH_MOST + 1];
    uint64_t row_key[BATCH_MOST], noise, training_step;
    bool whole;                             /* all queries as one block, not step by step */
    real *key, *query;                      /* (N,width)  (slots,m) */
    real *context, *d_key, *d_query, *seen; /* seen (N): coverage */
} BatchCase;

static inline AttendSettings batch_settings(const char *score, const char *select, const char *range)
{
    return attend_settings(score, select, range, 20, 3, 2);
}

/* use: its widths and the greatest length are filled in. */
static inline Status batch_try(BatchCase *c, const AttendSettings *s, AttendUse use, int64_t width, int64_t m,
                               int64_t longest)
{
    *c = (BatchCase){.width = width, .m = m, .noise = 3};
    c->params.arena = &c->run;
    use.keys = width;
    use.query = m;
    use.longest = longest;
    return attend_build(&c->attend, &c->params, s, use, "attend");
}

static inline void batch_open(BatchCase *c, const AttendSettings *s, int64_t width, int64_t m, int64_t longest)
{
    CHECK_OK(batch_try(c, s, (AttendUse){.apply = NULL}, width, m, longest));
    CHECK_OK(params_allocate(&c->params, 9));
}

static inline void batch_close(BatchCase *c)
{
    arena_close(&c->step);
    arena_close(&c->run);
}

static inline int64_t batch_slot(const BatchCase *c, int64_t b, int64_t t) { return t * c->examples + b; }
static inline const real *batch_weights(const BatchCase *c, int64_t b, int64_t t)
{
    return attend_weights(c->pass, batch_slot(c, b, t));
}

static inline real *batch_numbers(BatchCase *c, int64_t n, uint64_t from)
{
    real *x = arena_zeros(&c->run, n, sizeof *x);
    CHECK(x, "out of memory");
    for (int64_t i = 0; i < n && from; i++) x[i] = gradient_number(from + (uint64_t)i);
    return x;
}

static inline void batch_lengths(BatchCase *c, int64_t examples, const int64_t *length, int64_t steps)
{
    c->examples = examples;
    c->steps = steps;
    for (int64_t b = 0; b < examples; b++) {
        c->length[b] = length[b];
        c->offset[b + 1] = c->offset[b] + length[b];
        c->row_key[b] = 100 + (uint64_t)b;
    }
    const int64_t N = c->offset[examples], slots = examples * steps, w = attend_width(c->attend);
    c->key = batch_numbers(c, N * c->width, 1);
    c->query = batch_numbers(c, slots * c->m, 100000);
    c->context = batch_numbers(c, slots * w, 0);
    c->d_key = batch_numbers(c, N * c->width, 0);
    c->d_query = batch_numbers(c, slots * c->m, 0);
    c->seen = batch_numbers(c, N, 0);
}

/* Example b of another batch becomes the only one of this. */
static inline void batch_take(BatchCase *c, const BatchCase *from, int64_t b)
{
    memcpy(c->key, from->key + from->offset[b] * c->width, (size_t)(from->length[b] * c->width) * sizeof(real));
    for (int64_t t = 0; t < c->steps; t++)
        memcpy(c->query + t * c->m, from->query + batch_slot(from, b, t) * c->m, (size_t)c->m * sizeof(real));
    c->row_key[0] = from->row_key[b];
}

static inline AttendBlock batch_step(BatchCase *c, int64_t t, int32_t *sentence, real **seen)
{
    const int64_t slot = batch_slot(c, 0, t), w = attend_width(c->attend);
    for (int64_t b = 0; b < c->examples; b++) {
        sentence[b] = (int32_t)b;
        seen[b] = c->seen + c->offset[b];
    }
    return (AttendBlock){.rows = c->examples,
                         .step = t,
                         .slot = slot,
                         .sentence = sentence,
                         .query = c->query + slot * c->m,
                         .ld_query = c->m,
                         .context = c->context + slot * w,
                         .ld_context = w,
                         .coverage = attend_covers(c->attend) ? seen : NULL};
}

/* What batch_pass does with all queries of all examples at once, in the order of their slots. */
static inline Status batch_whole(BatchCase *c, bool backward)
{
    const int64_t slots = c->examples * c->steps, w = attend_width(c->attend);
    int32_t *sentence;
    int64_t *position;
    TRY_NEW(sentence, &c->step, slots);
    TRY_NEW(position, &c->step, slots);
    for (int64_t i = 0; i < slots; i++) {
        sentence[i] = (int32_t)(i % c->examples);
        position[i] = i / c->examples;
    }
    const AttendBlock all = {.rows = slots,
                             .position = position,
                             .sentence = sentence,
                             .query = c->query,
                             .ld_query = c->m,
                             .context = c->context,
                             .ld_context = w};
    attend_forward(c->pass, &all);
    if (!backward) return OK;
    attend_begin_backward(c->pass, 1, NULL);
    attend_backward(c->pass, &all, c->context, w, c->d_query, c->m);
    return attend_finish(c->pass, c->d_key, NULL);
}

static inline Status batch_pass(BatchCase *c, bool backward)
{
    int32_t sentence[BATCH_MOST];
    real *seen[BATCH_MOST];
    const int64_t N = c->offset[c->examples], w = attend_width(c->attend);
    arena_release(&c->step, (ArenaMark){0});
    memset(c->seen, 0, (size_t)N * sizeof(real));
    TRY(attend_open(&c->pass, c->attend, &c->step,
                    &(AttendBatch){.key = c->key,
                                   .keys = {c->examples, c->offset},
                                   .slots = c->examples * c->steps,
                                   .train = true,
                                   .backward = backward,
                                   .step = c->training_step,
                                   .noise = random_key(c->noise, RANDOM_SELECT, 1),
                                   .row_key = c->row_key}));
    if (c->whole) return batch_whole(c, backward);
    for (int64_t t = 0; t < c->steps; t++) {
        const AttendBlock s = batch_step(c, t, sentence, seen);
        attend_forward(c->pass, &s);
    }
    if (!backward) return OK;
    attend_begin_backward(c->pass, 1, NULL);
    for (int64_t t = c->steps - 1; t >= 0; t--) {
        const AttendBlock s = batch_step(c, t, sentence, seen);
        attend_backward(c->pass, &s, s.context, w, c->d_query + s.slot * c->m, c->m); /* of the sum of squares / 2 */
    }
    return attend_finish(c->pass, c->d_key, NULL);
}

static inline void batch_run(BatchCase *c, bool backward) { CHECK_OK(batch_pass(c, backward)); }

static inline void batch_all_finite(const char *what, int64_t n, const real *x)
{
    for (int64_t i = 0; i < n; i++) CHECK(isfinite(x[i]), "%s: number %d is %g", what, (int)i, (double)x[i]);
}

static inline void batch_finite(const BatchCase *c)
{
    const int64_t slots = c->examples * c->steps;
    batch_all_finite("contexts", slots * attend_width(c->attend), c->context);
    batch_all_finite("gradient of queries", slots * c->m, c->d_query);
    batch_all_finite("gradient of keys", c->offset[c->examples] * c->width, c->d_key);
    batch_all_finite("gradient of parameters", c->params.dense, c->params.grad);
}

#endif
