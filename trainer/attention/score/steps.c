/* steps.c - what all scores of outer queries share: records, and the gradients that wait for the end. */
#include "trainer/attention/score/steps.h"

#include <math.h>
#include <string.h>

#include "trainer/core/blas.h"

Status score_build_steps(Score *s, Params *ps, const ScoreDef *def, ScoreSizes size, const char *path)
{
    *s = (Score){.def = def, .size = size, .arena = ps->arena, .path = path};
    return def->steps->build(s, ps);
}

Status score_same_widths(const Score *s)
{
    REQUIRE(
        s->size.query == s->size.width, ERR_CONFIG,
        "score %s needs a query as wide as the keys, but the query has %lld units and a key has %lld; score general "
        "takes any widths",
        s->def->name, (long long)s->size.query, (long long)s->size.width);
    return OK;
}

real score_bilinear(const Score *s) { return (real)(1 / sqrt((double)s->size.width)); }

static int64_t longest_of(Segments keys)
{
    int64_t most = 0;
    for (int64_t i = 0; i < keys.n; i++) {
        const int64_t n = keys.offset[i + 1] - keys.offset[i];
        most = n > most ? n : most;
    }
    return most;
}

Status score_open(ScoreRun *r, const Score *s)
{
    r->score = s;
    r->longest = longest_of(r->keys);
    const int64_t record = score_record(r, r->slots);
    TRY_NEW(r->sentence, r->arena, r->slots);
    for (int64_t i = 0; i < r->slots; i++) r->sentence[i] = -1;
    TRY_NEW(r->e, r->arena, record);
    if (r->backward) {
        TRY_NEW(r->de, r->arena, record);
        r->query = arena_alloc(r->arena, (size_t)(r->slots * s->size.query) * sizeof(real));
        if (!r->query) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    }
    return s->def->steps->open(r);
}

void score_step(ScoreRun *r, const ScoreStep *s)
{
    const int64_t width = r->score->size.query;
    for (int64_t i = 0; i < s->rows; i++) r->sentence[s->slot + i] = s->sentence[i];
    for (int64_t i = 0; r->backward && i < s->rows; i++)
        memcpy(r->query + (s->slot + i) * width, s->query + i * s->ld_query, (size_t)width * sizeof(real));
    r->score->def->steps->forward(r, s);
}

void score_step_backward(ScoreRun *r, const ScoreStep *s) { r->score->def->steps->backward(r, s); }

Status score_finish(ScoreRun *r, real *d_key)
{
    score_clear_unused(r, r->query, r->score->size.query);
    return r->score->def->steps->finish(r, d_key);
}

void score_clear_unused(const ScoreRun *r, real *x, int64_t width)
{
    for (int64_t i = 0; i < r->slots; i++)
        if (r->sentence[i] < 0) memset(x + i * width, 0, (size_t)width * sizeof *x);
}

void score_products(const ScoreRun *r, const ScoreStep *s, real scale, const real *key, int64_t width, const real *q,
                    int64_t ld_q)
{
    const int64_t K = score_columns(r->score);
    for (int64_t i = 0; i < s->rows; i++) {
        const int64_t at = r->keys.offset[s->sentence[i]], keys = r->keys.offset[s->sentence[i] + 1] - at;
        for (int64_t k = 0; k < K; k++) {
            real *e = r->e + score_record(r, s->slot + i) + k * keys + s->first[i];
            kernels()->rows_dot(s->n[i], width, key + (at + s->first[i]) * width, width, q + i * ld_q + k * width, e);
            if (scale != 1) kernels()->scale(s->n[i], scale, e);
        }
    }
}

void score_products_backward(const ScoreRun *r, const ScoreStep *s, real scale, const real *key, int64_t width,
                             real *dq, int64_t ld_dq)
{
    const int64_t K = score_columns(r->score);
    for (int64_t i = 0; i < s->rows; i++) {
        const int64_t at = r->keys.offset[s->sentence[i]], keys = r->keys.offset[s->sentence[i] + 1] - at;
        for (int64_t k = 0; k < K; k++) {
            const real *de = r->de + score_record(r, s->slot + i) + k * keys + s->first[i];
            kernels()->weighted_sum_add(s->n[i], width, de, key + (at + s->first[i]) * width, width, scale,
                                        dq + i * ld_dq + k * width);
        }
    }
}

/* Slots of each example, one after the other: those of example b are list[start[b]] .. list[start[b + 1] - 1]. */
static Status slots_of_examples(const ScoreRun *r, Arena *scratch, int64_t **start, int64_t **list)
{
    TRY_NEW(*start, scratch, r->keys.n + 2);
    TRY_NEW(*list, scratch, r->slots);
    int64_t *next = *start + 1; /* while counting one further, so that filling leaves the starts */
    for (int64_t i = 0; i < r->slots; i++)
        if (r->sentence[i] >= 0) next[r->sentence[i] + 1]++;
    for (int64_t b = 0; b < r->keys.n; b++) next[b + 1] += next[b];
    for (int64_t i = 0; i < r->slots; i++)
        if (r->sentence[i] >= 0) (*list)[next[r->sentence[i]]++] = i;
    return OK;
}

static Status gather_here(const ScoreRun *r, real scale, const real *record, const real *x, int64_t width, real *out)
{
    const int64_t K = score_columns(r->score);
    int64_t *start, *list, most = 0;
    TRY(slots_of_examples(r, r->arena, &start, &list));
    for (int64_t b = 0; b < r->keys.n; b++) most = start[b + 1] - start[b] > most ? start[b + 1] - start[b] : most;
    real *weight, *row;
    TRY_NEW(weight, r->arena, most * K * r->longest);
    TRY_NEW(row, r->arena, most * K * width);
    for (int64_t b = 0; b < r->keys.n; b++) {
        const int64_t at = r->keys.offset[b], keys = r->keys.offset[b + 1] - at, n = start[b + 1] - start[b];
        if (keys == 0 || n == 0) continue;
        for (int64_t i = 0; i < n; i++) {
            const int64_t slot = list[start[b] + i];
            memcpy(weight + i * K * keys, record + score_record(r, slot), (size_t)(K * keys) * sizeof(real));
            memcpy(row + i * K * width, x + slot * K * width, (size_t)(K * width) * sizeof(real));
        }
        blas_gemm(true, false, keys, width, n * K, scale, weight, keys, row, width, 1, out + at * width, width);
    }
    return OK;
}

Status score_gather(const ScoreRun *r, real scale, const real *record, const real *x, int64_t width, real *out)
{
    const ArenaMark mark = arena_mark(r->arena);
    const Status st = gather_here(r, scale, record, x, width, out);
    arena_release(r->arena, mark);
    return st;
}
