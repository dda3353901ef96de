/* attend_backward.c - the steps of an attention in reverse, and what waits for the end. */
#include <math.h>
#include <string.h>

#include "trainer/attention/attend_run.h"

/* d/dA ||A A^T - I||^2 = 4 (A A^T - I) A */
double attend_orthogonality(const AttendRun *r, int64_t slot, real scale, real *da)
{
    const int64_t K = r->heads, keys = attend_keys(r, slot);
    const real *a = r->weight + score_record(&r->score, slot);
    double sum = 0;
    for (int64_t k = 0; keys > 0 && k < K; k++)
        for (int64_t l = 0; l < K; l++) {
            const real excess = kernels()->dot(keys, a + k * keys, a + l * keys) - (k == l ? 1 : 0);
            sum += (double)excess * (double)excess;
            if (da) kernels()->axpy(keys, 4 * scale * excess, a + l * keys, da + k * keys);
        }
    return sum;
}

void attend_begin_backward(AttendRun *r, real d_penalty, const real *reward)
{
    r->d_penalty = d_penalty;
    r->reward = reward;
}

/* a_j counts in min(a_j, coverage_j) and in all coverage that follows. The gradient of the coverage before this step
 * takes the place of that after it. */
static void uncover(AttendRun *r, int64_t slot, real *da)
{
    const int64_t keys = attend_keys(r, slot);
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
    const int64_t D = r->a->score.size.width, keys = attend_keys(r, slot), first = r->first[slot];
    const real *key = r->score.key + (r->score.keys.offset[r->score.sentence[slot]] + first) * D;
    memset(da, 0, (size_t)(r->heads * keys) * sizeof *da);
    for (int64_t k = 0; k < r->heads; k++)
        kernels()->rows_dot(r->n[slot], D, key, D, r->d_context + (slot * r->heads + k) * D, da + k * keys + first);
    if (r->coverage) uncover(r, slot, da);
    const real *wanted = attend_guided(r, slot); /* d/da -log a = -1 / a */
    if (wanted)
        da[r->batch.wanted[slot]] -= r->d_penalty * (real)(r->a->settings.guide / fmax((double)*wanted, ATTEND_LEAST));
    if (r->a->settings.orthogonality > 0)
        (void)attend_orthogonality(r, slot, r->d_penalty * (real)r->a->settings.orthogonality, da);
}

/* d log g_j / dp = (j - p) / sigma^2 */
static real centre_gradient(const AttendRun *r, int64_t slot, const real *d_log)
{
    const double sigma = (double)r->a->settings.window / 2, p = (double)r->range.centre[slot];
    double sum = 0;
    for (int64_t i = 0; i < r->n[slot]; i++) sum += (double)d_log[i] * ((double)(r->first[slot] + i) - p);
    return (real)(sum / (sigma * sigma));
}

/* Through Gaussian and selection: da becomes de. With w = a g: da = dw g, d log g = dw w. */
static void scores_backward(AttendRun *r, int64_t slot, int64_t step, real *da)
{
    const int64_t keys = attend_keys(r, slot), first = r->first[slot], n = r->n[slot];
    real *gaussian = r->line + r->heads * r->score.longest, *d_log = gaussian + r->score.longest;
    real *de = r->score.de + score_record(&r->score, slot);
    memset(de, 0, (size_t)(r->heads * keys) * sizeof *de);
    r->d_centre[slot] = 0;
    for (int64_t k = 0; k < r->heads; k++) {
        real *dw = da + k * keys + first, *to = de + k * keys + first;
        if (attend_gaussian_outside(r->a)) {
            kernels()->multiply(n, dw, r->weight + score_record(&r->score, slot) + k * keys + first, d_log);
            r->d_centre[slot] += centre_gradient(r, slot, d_log);
            attend_log_gaussian(r, slot, gaussian);
            kernels()->exp(n, gaussian, gaussian);
            kernels()->multiply(n, dw, gaussian, dw);
        }
        SelectRow row = attend_select_row(r, slot, k, step, gaussian);
        row.reward = r->reward ? r->reward[slot] : 0;
        row.scale = r->d_penalty;
        if (n > 0) r->a->select->backward(&r->selection, &row, dw, to);
        if (attend_gaussian_inside(r->a)) r->d_centre[slot] += centre_gradient(r, slot, to);
    }
}

void attend_backward(AttendRun *r, const AttendStep *s, const real *d_context, int64_t ld_context, real *d_query,
                     int64_t ld_query)
{
    const int64_t width = attend_width(r->a);
    for (int64_t i = 0; i < s->rows; i++) {
        const int64_t slot = s->slot + i;
        memcpy(r->d_context + slot * width, d_context + i * ld_context, (size_t)width * sizeof(real));
        weights_backward(r, slot, r->line);
        scores_backward(r, slot, s->step, r->line);
        if (!r->coverage) continue;
        r->before[i] = r->coverage + slot * r->score.longest;
        r->d_before[i] = r->d_coverage + r->score.keys.offset[s->sentence[i]];
    }
    score_step_backward(&r->score, &(ScoreStep){.rows = s->rows,
                                                .slot = s->slot,
                                                .sentence = s->sentence,
                                                .first = r->first + s->slot,
                                                .n = r->n + s->slot,
                                                .ld_query = ld_query,
                                                .coverage = r->coverage ? r->before : NULL,
                                                .d_coverage = r->d_before,
                                                .d_query = d_query});
    if (r->a->range.def->backward)
        r->a->range.def->backward(&r->range, &(RangeStep){.rows = s->rows,
                                                          .slot = s->slot,
                                                          .step = s->step,
                                                          .sentence = s->sentence,
                                                          .ld_query = ld_query,
                                                          .d_centre = r->d_centre + s->slot,
                                                          .d_query = d_query});
}

/* dh_j = sum over queries and rows of a_kj dc_k, beside what the scores give the keys. */
Status attend_finish(AttendRun *r, real *d_key)
{
    TRY(score_finish(&r->score, d_key));
    if (r->a->range.def->finish) TRY(r->a->range.def->finish(&r->range));
    return score_gather(&r->score, 1, r->weight, r->d_context, r->a->score.size.width, d_key);
}
