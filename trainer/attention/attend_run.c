/* attend_run.c - an attention over one batch: blocks forward, the same in reverse, and what waits for the end.
 *
 * Records of a slot: K rows of as many numbers as its example has keys, at score_record. */
#include <math.h>
#include <string.h>

#include "trainer/attention/attend.h"

struct AttendRun {
    const Attend *a;
    AttendBatch batch;
    ScoreRun score;
    RangeRun range;
    int64_t heads;        /* K */
    double orthogonality; /* weight of the penalty on equal rows */
    int64_t *first, *n;   /* (slots) windows */
    real *chosen;         /* what the selection gave, 0 outside the window */
    real *weight;         /* the same times the Gaussian; the same memory where there is none */
    real *kept;           /* the selection's; NULL: it keeps nothing */
    real *coverage;       /* (slots, longest) before the step; NULL: no coverage, or no backward */
    real *d_context;      /* (slots, K n) */
    double penalty;       /* so far */

    real d_penalty; /* backward */
    const real *reward;
    real *d_coverage; /* (N) */
    real **before;    /* (slots) coverage and its gradient, of a step's rows */
    real **d_before;
    real *d_centre; /* (slots) */
    real *line;     /* scratch (K + 2, longest) */
};

/* The weight that a slot should have much of, NULL: it is not told where to look. Rounding may leave a weight at 0. */
#define ATTEND_LEAST 1e-30
static const real *guided(const AttendRun *r, int64_t slot)
{
    const bool told = r->a->use.guide > 0 && r->batch.wanted && r->batch.wanted[slot] >= 0;
    return told ? r->weight + score_record(&r->score, slot) + r->batch.wanted[slot] : NULL;
}

static int64_t keys_of(const AttendRun *r, int64_t slot)
{
    const int64_t *at = r->score.keys.offset + r->score.sentence[slot];
    return at[1] - at[0];
}

/* The Gaussian is part of what is chosen from, not a factor of the weights. */
static bool gaussian_inside(const Attend *a) { return a->range.def->gaussian && a->select->chooses; }
static bool gaussian_outside(const Attend *a) { return a->range.def->gaussian && !a->select->chooses; }

/* --- Forward. --- */

static Status records(AttendRun *r)
{
    const int64_t slots = r->batch.slots, longest = r->score.longest, size = score_record(&r->score, slots);
    Arena *arena = r->score.arena;
    TRY_NEW(r->first, arena, slots);
    TRY_NEW(r->n, arena, slots);
    TRY_NEW(r->chosen, arena, size);
    r->weight = r->chosen;
    if (gaussian_outside(r->a)) TRY_NEW(r->weight, arena, size);
    if (r->a->select->keeps && (r->batch.train || r->batch.backward)) TRY_NEW(r->kept, arena, size);
    TRY_NEW(r->line, arena, (r->heads + 2) * longest);
    if (!r->batch.backward) return OK;
    if (attend_covers(r->a)) {
        TRY_NEW(r->coverage, arena, slots * longest);
        TRY_NEW(r->d_coverage, arena, r->score.keys.offset[r->score.keys.n]);
        TRY_NEW(r->before, arena, slots);
        TRY_NEW(r->d_before, arena, slots);
    }
    TRY_NEW(r->d_centre, arena, slots);
    r->d_context = arena_alloc(arena, (size_t)(slots * attend_width(r->a)) * sizeof(real));
    return r->d_context ? OK : status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
}

Status attend_open(AttendRun **out, const Attend *a, Arena *arena, const AttendBatch *b)
{
    AttendRun *r;
    TRY_NEW(r, arena, 1);
    *r = (AttendRun){
        .a = a, .batch = *b, .heads = attend_heads(a), .orthogonality = a->many ? a->many->orthogonality : 0};
    r->score = (ScoreRun){.arena = arena, .key = b->key, .keys = b->keys, .slots = b->slots, .backward = b->backward};
    TRY(score_open(&r->score, &a->score));
    r->range = (RangeRun){.range = &a->range,
                          .arena = arena,
                          .keys = b->keys,
                          .slots = b->slots,
                          .backward = b->backward,
                          .query = r->score.query};
    TRY_NEW(r->range.centre, arena, b->slots);
    if (a->range.def->open) TRY(a->range.def->open(&r->range));
    TRY(records(r));
    *out = r;
    return OK;
}

/* log g_j = -(j - p)^2 / (2 sigma^2), sigma = D / 2, in the window */
static void log_gaussian(const AttendRun *r, int64_t slot, real *out)
{
    const double sigma = (double)range_window(&r->a->range) / 2, p = (double)r->range.centre[slot];
    for (int64_t i = 0; i < r->n[slot]; i++) {
        const double off = (double)(r->first[slot] + i) - p;
        out[i] = (real)(-off * off / (2 * sigma * sigma));
    }
}

/* What the selection needs to know of head k of a slot; score and weight are set. */
static SelectRow select_row(const AttendRun *r, int64_t slot, int64_t k, int64_t step, real *scratch)
{
    const int64_t at = score_record(&r->score, slot) + k * keys_of(r, slot) + r->first[slot];
    const bool draws = r->a->select->draws && r->batch.train;
    SelectRow row = {.n = r->n[slot],
                     .score = r->score.e + at,
                     .weight = r->chosen + at,
                     .kept = r->kept ? r->kept + at : NULL,
                     .train = r->batch.train,
                     .step = (double)r->batch.step,
                     .key = r->batch.noise,
                     .row = draws ? r->batch.row_key[r->score.sentence[slot]] : 0,
                     .column = (uint64_t)(step * r->heads + k) << 24}; /* a window draws less than 2^24 numbers */
    if (gaussian_inside(r->a)) {
        log_gaussian(r, slot, scratch);
        kernels()->add(row.n, row.score, scratch);
        row.score = scratch;
    }
    return row;
}

/* Scores of a slot to weights, and what that costs. */
static void weigh(AttendRun *r, int64_t slot, int64_t step)
{
    const int64_t keys = keys_of(r, slot), at = score_record(&r->score, slot);
    memset(r->chosen + at, 0, (size_t)(r->heads * keys) * sizeof(real));
    if (r->weight != r->chosen) memset(r->weight + at, 0, (size_t)(r->heads * keys) * sizeof(real));
    for (int64_t k = 0; k < r->heads; k++) {
        SelectRow row = select_row(r, slot, k, step, r->line);
        r->a->select->forward(r->a->settings.select.settings, &row);
        if (r->a->select->penalty && row.kept)
            r->penalty += r->a->select->penalty(r->a->settings.select.settings, &row);
        if (r->weight == r->chosen) continue;
        log_gaussian(r, slot, r->line);
        kernels()->exp(row.n, r->line, r->line);
        kernels()->multiply(row.n, row.weight, r->line, r->weight + at + k * keys + r->first[slot]);
    }
}

/* -lambda log a of the wanted one */
static double guide(const AttendRun *r, int64_t slot)
{
    const real *a = guided(r, slot);
    return a ? -r->a->use.guide * log(fmax((double)*a, ATTEND_LEAST)) : 0;
}

/* coverage += a, after its loss, lambda sum_j min(a_j, coverage_j); backward wants what it was. */
static void cover(AttendRun *r, int64_t slot, real *coverage)
{
    const int64_t keys = keys_of(r, slot);
    const real *a = r->weight + score_record(&r->score, slot);
    if (r->coverage) memcpy(r->coverage + slot * r->score.longest, coverage, (size_t)keys * sizeof(real));
    if (r->a->settings.coverage_loss > 0 && (r->batch.train || r->batch.backward))
        for (int64_t j = 0; j < keys; j++)
            r->penalty += r->a->settings.coverage_loss * (double)(a[j] < coverage[j] ? a[j] : coverage[j]);
    kernels()->add(keys, a, coverage);
}

/* sum of squares of A A^T - I, A (K, keys) of a slot; da (K, keys) += scale times its gradient 4 (A A^T - I) A,
 * unless NULL */
static double orthogonality(const AttendRun *r, int64_t slot, real scale, real *da)
{
    const int64_t K = r->heads, keys = keys_of(r, slot);
    const real *a = r->weight + score_record(&r->score, slot);
    double sum = 0;
    for (int64_t k = 0; r->n[slot] > 0 && k < K; k++) /* where nothing is seen nothing can be the same */
        for (int64_t l = 0; l < K; l++) {
            const real excess = kernels()->dot(keys, a + k * keys, a + l * keys) - (k == l ? 1 : 0);
            sum += (double)excess * (double)excess;
            if (da) kernels()->axpy(keys, 4 * scale * excess, a + l * keys, da + k * keys);
        }
    return sum;
}

static const real *values(const AttendRun *r, int64_t slot)
{
    const int64_t at = r->score.keys.offset[r->score.sentence[slot]] + r->first[slot];
    return (r->batch.value ? r->batch.value : r->score.key) + at * r->a->values;
}

static void context(const AttendRun *r, int64_t slot, real *out)
{
    const int64_t D = r->a->values, keys = keys_of(r, slot), first = r->first[slot];
    const real *weight = r->weight + score_record(&r->score, slot) + first;
    for (int64_t k = 0; k < r->heads; k++)
        kernels()->weighted_sum(r->n[slot], D, weight + k * keys, values(r, slot), D, out + k * D);
}

static int64_t position(const AttendBlock *b, int64_t i) { return b->position ? b->position[i] : b->step; }

static ScoreBlock of_score(const AttendRun *r, const AttendBlock *b)
{
    return (ScoreBlock){.rows = b->rows,
                        .slot = b->slot,
                        .sentence = b->sentence,
                        .first = r->first + b->slot,
                        .n = r->n + b->slot,
                        .query = b->query,
                        .ld_query = b->ld_query};
}

static RangeBlock of_range(const AttendRun *r, const AttendBlock *b)
{
    return (RangeBlock){.rows = b->rows,
                        .slot = b->slot,
                        .step = b->step,
                        .position = b->position,
                        .sentence = b->sentence,
                        .query = b->query,
                        .ld_query = b->ld_query,
                        .first = r->first + b->slot,
                        .n = r->n + b->slot};
}

void attend_forward(AttendRun *r, const AttendBlock *b)
{
    const RangeBlock look = of_range(r, b);
    r->a->range.def->forward(&r->range, &look);
    ScoreBlock ask = of_score(r, b);
    ask.coverage = b->coverage;
    score_forward(&r->score, &ask);
    const bool penalised = r->orthogonality > 0 && (r->batch.train || r->batch.backward);
    for (int64_t i = 0; i < b->rows; i++) {
        weigh(r, b->slot + i, position(b, i));
        if (r->batch.train || r->batch.backward) r->penalty += guide(r, b->slot + i);
        if (b->coverage) cover(r, b->slot + i, b->coverage[i]);
        if (penalised) r->penalty += r->orthogonality * orthogonality(r, b->slot + i, 0, NULL);
        context(r, b->slot + i, b->context + i * b->ld_context);
    }
}

const real *attend_weights(const AttendRun *r, int64_t slot) { return r->weight + score_record(&r->score, slot); }

const real *attend_kept(const AttendRun *r, int64_t slot)
{
    return r->kept ? r->kept + score_record(&r->score, slot) : NULL;
}

double attend_penalty(const AttendRun *r) { return r->penalty; }

/* --- Backward. --- */

void attend_begin_backward(AttendRun *r, real d_penalty, const real *reward)
{
    r->d_penalty = d_penalty;
    r->reward = reward;
}

/* a_j counts in min(a_j, coverage_j) and in all coverage that follows. The gradient of the coverage before this step
 * takes the place of that after it. */
static void uncover(AttendRun *r, int64_t slot, real *da)
{
    const int64_t keys = keys_of(r, slot);
    const real *a = r->weight + score_record(&r->score, slot), *before = r->coverage + slot * r->score.longest;
    real *d = r->d_coverage + r->score.keys.offset[r->score.sentence[slot]];
    const real loss = r->d_penalty * (real)r->a->settings.coverage_loss;
    kernels()->add(keys, d, da);
    for (int64_t j = 0; j < keys && loss != 0; j++) {
        if (a[j] < before[j]) da[j] += loss;
        if (a[j] > before[j]) d[j] += loss;
    }
}

/* da (K, keys): gradient of the weights of a slot. dw_kj = dc_k . h_j in the window. */
static void weights_backward(AttendRun *r, int64_t slot, real *da)
{
    const int64_t D = r->a->values, keys = keys_of(r, slot), first = r->first[slot];
    memset(da, 0, (size_t)(r->heads * keys) * sizeof *da);
    for (int64_t k = 0; k < r->heads; k++)
        kernels()->rows_dot(r->n[slot], D, values(r, slot), D, r->d_context + (slot * r->heads + k) * D,
                            da + k * keys + first);
    if (r->coverage) uncover(r, slot, da);
    const real *wanted = guided(r, slot); /* d/da -log a = -1 / a */
    if (wanted)
        da[r->batch.wanted[slot]] -= r->d_penalty * (real)(r->a->use.guide / fmax((double)*wanted, ATTEND_LEAST));
    if (r->orthogonality > 0) (void)orthogonality(r, slot, r->d_penalty * (real)r->orthogonality, da);
}

/* d log g_j / dp = (j - p) / sigma^2 */
static real centre_gradient(const AttendRun *r, int64_t slot, const real *d_log)
{
    const double sigma = (double)range_window(&r->a->range) / 2, p = (double)r->range.centre[slot];
    double sum = 0;
    for (int64_t i = 0; i < r->n[slot]; i++) sum += (double)d_log[i] * ((double)(r->first[slot] + i) - p);
    return (real)(sum / (sigma * sigma));
}

/* Through Gaussian and selection: da becomes de. With w = a g: da = dw g, d log g = dw w. */
static void scores_backward(AttendRun *r, int64_t slot, int64_t step, real *da)
{
    const int64_t keys = keys_of(r, slot), first = r->first[slot], n = r->n[slot];
    real *gaussian = r->line + r->heads * r->score.longest, *d_log = gaussian + r->score.longest;
    real *de = r->score.de + score_record(&r->score, slot);
    memset(de, 0, (size_t)(r->heads * keys) * sizeof *de);
    r->d_centre[slot] = 0;
    for (int64_t k = 0; k < r->heads; k++) {
        real *dw = da + k * keys + first, *to = de + k * keys + first;
        if (gaussian_outside(r->a)) {
            kernels()->multiply(n, dw, r->weight + score_record(&r->score, slot) + k * keys + first, d_log);
            r->d_centre[slot] += centre_gradient(r, slot, d_log);
            log_gaussian(r, slot, gaussian);
            kernels()->exp(n, gaussian, gaussian);
            kernels()->multiply(n, dw, gaussian, dw);
        }
        SelectRow row = select_row(r, slot, k, step, gaussian);
        row.reward = r->reward ? r->reward[slot] : 0;
        row.scale = r->d_penalty;
        if (n > 0) r->a->select->backward(r->a->settings.select.settings, &row, dw, to);
        if (gaussian_inside(r->a)) r->d_centre[slot] += centre_gradient(r, slot, to);
    }
}

void attend_backward(AttendRun *r, const AttendBlock *b, const real *d_context, int64_t ld_context, real *d_query,
                     int64_t ld_query)
{
    const int64_t width = attend_width(r->a);
    for (int64_t i = 0; i < b->rows; i++) {
        const int64_t slot = b->slot + i;
        memcpy(r->d_context + slot * width, d_context + i * ld_context, (size_t)width * sizeof(real));
        weights_backward(r, slot, r->line);
        scores_backward(r, slot, position(b, i), r->line);
        if (!r->coverage) continue;
        r->before[i] = r->coverage + slot * r->score.longest;
        r->d_before[i] = r->d_coverage + r->score.keys.offset[b->sentence[i]];
    }
    ScoreBlock ask = of_score(r, b);
    ask.ld_query = ld_query;
    ask.coverage = r->coverage ? r->before : NULL;
    ask.d_coverage = r->d_before;
    ask.d_query = d_query;
    score_backward(&r->score, &ask);
    if (!r->a->range.def->backward) return;
    RangeBlock look = of_range(r, b);
    look.ld_query = ld_query;
    look.d_centre = r->d_centre + b->slot;
    look.d_query = d_query;
    r->a->range.def->backward(&r->range, &look);
}

/* dv_j = sum over queries and rows of a_kj dc_k, beside what the scores give the keys. */
Status attend_finish(AttendRun *r, real *d_key, real *d_value)
{
    TRY(score_finish(&r->score, d_key));
    if (r->a->range.def->finish) TRY(r->a->range.def->finish(&r->range));
    return score_gather(&r->score, 1, r->weight, r->d_context, r->a->values, d_value ? d_value : d_key);
}
