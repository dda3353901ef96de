/* attend_forward.c - a step of an attention: window, scores, weights, context. */
#include <math.h>
#include <string.h>

#include "trainer/attention/attend_run.h"

static Status records(AttendRun *r)
{
    const int64_t slots = r->batch.slots, longest = r->score.longest, size = score_record(&r->score, slots);
    Arena *arena = r->score.arena;
    TRY_NEW(r->first, arena, slots);
    TRY_NEW(r->n, arena, slots);
    TRY_NEW(r->chosen, arena, size);
    r->weight = r->chosen;
    if (attend_gaussian_outside(r->a)) TRY_NEW(r->weight, arena, size);
    if (r->a->select->keeps && (r->batch.train || r->batch.backward)) TRY_NEW(r->kept, arena, size);
    TRY_NEW(r->line, arena, (r->heads + 2) * longest);
    if (!r->batch.backward) return OK;
    if (r->a->settings.coverage || r->a->settings.coverage_loss > 0) {
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
    *r = (AttendRun){.a = a, .batch = *b, .selection = a->settings.selection, .heads = attend_heads(a)};
    if (b->temperature > 0) r->selection.temperature = b->temperature;
    r->score = (ScoreRun){.arena = arena, .key = b->key, .keys = b->keys, .slots = b->slots, .backward = b->backward};
    TRY(score_open(&r->score, &a->score));
    r->range = (RangeRun){.range = &a->range,
                          .arena = arena,
                          .keys = b->keys,
                          .slots = b->slots,
                          .backward = b->backward,
                          .query = r->score.query};
    TRY_NEW(r->range.centre, arena, b->slots);
    TRY(a->range.def->open(&r->range));
    TRY(records(r));
    *out = r;
    return OK;
}

void attend_log_gaussian(const AttendRun *r, int64_t slot, real *out)
{
    const double sigma = (double)r->a->settings.window / 2, p = (double)r->range.centre[slot];
    for (int64_t i = 0; i < r->n[slot]; i++) {
        const double off = (double)(r->first[slot] + i) - p;
        out[i] = (real)(-off * off / (2 * sigma * sigma));
    }
}

SelectRow attend_select_row(const AttendRun *r, int64_t slot, int64_t k, int64_t step, real *log_gaussian)
{
    const int64_t at = score_record(&r->score, slot) + k * attend_keys(r, slot) + r->first[slot];
    const bool draws = r->a->select->draws && r->batch.train;
    SelectRow row = {.n = r->n[slot],
                     .score = r->score.e + at,
                     .weight = r->chosen + at,
                     .kept = r->kept ? r->kept + at : NULL,
                     .train = r->batch.train,
                     .key = r->batch.noise,
                     .row = draws ? r->batch.row_key[r->score.sentence[slot]] : 0,
                     .column = (uint64_t)(step * r->heads + k) << 24}; /* a window draws less than 2^24 numbers */
    if (attend_gaussian_inside(r->a)) {
        attend_log_gaussian(r, slot, log_gaussian);
        kernels()->add(row.n, row.score, log_gaussian);
        row.score = log_gaussian;
    }
    return row;
}

/* Scores of a slot to weights, and what that costs. */
static void weigh(AttendRun *r, int64_t slot, int64_t step)
{
    const int64_t keys = attend_keys(r, slot), at = score_record(&r->score, slot);
    memset(r->chosen + at, 0, (size_t)(r->heads * keys) * sizeof(real));
    if (r->weight != r->chosen) memset(r->weight + at, 0, (size_t)(r->heads * keys) * sizeof(real));
    for (int64_t k = 0; k < r->heads; k++) {
        SelectRow row = attend_select_row(r, slot, k, step, r->line);
        r->a->select->forward(&r->selection, &row);
        if (r->a->select->penalty && row.kept) r->penalty += r->a->select->penalty(&r->selection, &row);
        if (r->weight == r->chosen) continue;
        attend_log_gaussian(r, slot, r->line);
        kernels()->exp(row.n, r->line, r->line);
        kernels()->multiply(row.n, row.weight, r->line, r->weight + at + k * keys + r->first[slot]);
    }
}

/* -lambda log a of the wanted one */
static double guide(const AttendRun *r, int64_t slot)
{
    const real *a = attend_guided(r, slot);
    return a ? -r->a->settings.guide * log(fmax((double)*a, ATTEND_LEAST)) : 0;
}

/* coverage += a, after its loss, lambda sum_j min(a_j, coverage_j); backward wants what it was. */
static void cover(AttendRun *r, int64_t slot, real *coverage)
{
    const int64_t keys = attend_keys(r, slot);
    const real *a = r->weight + score_record(&r->score, slot);
    if (r->coverage) memcpy(r->coverage + slot * r->score.longest, coverage, (size_t)keys * sizeof(real));
    if (r->a->settings.coverage_loss > 0 && (r->batch.train || r->batch.backward))
        for (int64_t j = 0; j < keys; j++)
            r->penalty += r->a->settings.coverage_loss * (double)(a[j] < coverage[j] ? a[j] : coverage[j]);
    kernels()->add(keys, a, coverage);
}

static void context(const AttendRun *r, int64_t slot, real *out)
{
    const int64_t D = r->a->score.size.width, keys = attend_keys(r, slot), first = r->first[slot];
    const real *key = r->score.key + (r->score.keys.offset[r->score.sentence[slot]] + first) * D;
    const real *weight = r->weight + score_record(&r->score, slot) + first;
    for (int64_t k = 0; k < r->heads; k++)
        kernels()->weighted_sum(r->n[slot], D, weight + k * keys, key, D, out + k * D);
}

void attend_forward(AttendRun *r, const AttendStep *s)
{
    const RangeStep look = {.rows = s->rows,
                            .slot = s->slot,
                            .step = s->step,
                            .sentence = s->sentence,
                            .query = s->query,
                            .ld_query = s->ld_query,
                            .first = r->first + s->slot,
                            .n = r->n + s->slot};
    r->a->range.def->forward(&r->range, &look);
    const ScoreStep ask = {.rows = s->rows,
                           .slot = s->slot,
                           .sentence = s->sentence,
                           .first = look.first,
                           .n = look.n,
                           .query = s->query,
                           .ld_query = s->ld_query,
                           .coverage = s->coverage};
    score_step(&r->score, &ask);
    const bool penalised = r->a->settings.orthogonality > 0 && (r->batch.train || r->batch.backward);
    for (int64_t i = 0; i < s->rows; i++) {
        weigh(r, s->slot + i, s->step);
        if (r->batch.train || r->batch.backward) r->penalty += guide(r, s->slot + i);
        if (s->coverage) cover(r, s->slot + i, s->coverage[i]);
        if (penalised) r->penalty += r->a->settings.orthogonality * attend_orthogonality(r, s->slot + i, 0, NULL);
        context(r, s->slot + i, s->context + i * s->ld_context);
    }
}

const real *attend_weights(const AttendRun *r, int64_t slot) { return r->weight + score_record(&r->score, slot); }
double attend_penalty(const AttendRun *r) { return r->penalty; }
