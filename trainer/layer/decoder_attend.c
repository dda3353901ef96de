/* decoder_attend.c - the attention of a decoder's steps. */
#include "trainer/layer/decoder_run.h"

/* The query is the last layer's state: the new one with apply after, otherwise that before the step. */
static AttendBlock attend_step(const DecoderRun *r, const DecoderRows *s)
{
    const DecoderCellRun *top = &r->cell[r->decoder->settings.layers - 1];
    const bool after = r->decoder->settings.apply == DECODER_AFTER, start = !after && s->slot_before < 0;
    return (AttendBlock){.rows = s->rows,
                         .step = s->step,
                         .slot = s->slot,
                         .sentence = r->sentence,
                         .query =
                             start ? top->first_state : top->state + (after ? s->slot : s->slot_before) * top->ld_state,
                         .ld_query = start ? top->h : top->ld_state,
                         .context = r->context + s->slot * r->ld_context,
                         .ld_context = r->ld_context,
                         .coverage = r->coverage};
}

void decoder_attend_forward(const DecoderRun *r, const DecoderRows *s)
{
    const AttendBlock step = attend_step(r, s);
    attend_forward(r->attend, &step);
}

void decoder_attend_backward(const DecoderRun *r, const DecoderRows *s, const real *d_context, int64_t ld_context,
                             real *d_query, int64_t ld_query)
{
    const AttendBlock step = attend_step(r, s);
    attend_backward(r->attend, &step, d_context, ld_context, d_query, ld_query);
}

/* What each key of each sequence got so far. */
static Status open_coverage(DecoderRun *r, Arena *arena)
{
    const AttendSettings *s = &r->decoder->attend->settings;
    if (!s->coverage && s->coverage_loss == 0) return OK;
    real *sums;
    TRY_NEW(sums, arena, r->keys.offset[r->keys.n]);
    TRY_NEW(r->coverage, arena, r->n);
    for (int64_t i = 0; i < r->n; i++) r->coverage[i] = sums + r->keys.offset[r->order[i]];
    return OK;
}

Status decoder_attend_open(DecoderRun *r, Tape *t, const Node *states, bool train, bool backward)
{
    const bool draws = train && r->decoder->attend->select->draws;
    REQUIRE(!draws || r->row_key, ERR_INTERNAL, "an attention draws without keys");
    TRY(open_coverage(r, t->arena));
    int32_t *wanted = NULL;
    if (r->begin->wanted) TRY_NEW(wanted, t->arena, r->slots);
    for (int64_t s = 0; wanted && s < r->slots; s++) wanted[s] = r->begin->wanted[r->position[s]];
    const AttendBatch b = {.key = states->value,
                           .keys = r->keys,
                           .slots = r->slots,
                           .train = train,
                           .backward = backward,
                           .temperature = r->temperature,
                           .noise = draws ? tape_random(t, RANDOM_SELECT) : (RandomKey){{0, 0}},
                           .row_key = r->row_key,
                           .wanted = wanted};
    return attend_open(&r->attend, r->decoder->attend, t->arena, &b);
}

void decoder_reward(Node *y, const real *loss, Param *baseline)
{
    DecoderRun *r = y->data;
    r->loss = loss;
    r->baseline = baseline;
}

Status decoder_attend_begin_backward(DecoderRun *r, Arena *scratch)
{
    real *reward = NULL;
    if (r->baseline) TRY_NEW(reward, scratch, r->slots);
    const DecoderSettings *set = &r->decoder->settings;
    const bool lasts = set->apply == DECODER_BETWEEN || set->input_feeding;
    for (int64_t i = 0; r->baseline && i < r->n; i++) {
        double earned = 0;
        for (int64_t p = r->seq.offset[i + 1] - 1; p >= r->seq.offset[i]; p--) {
            earned = (lasts ? earned : 0) - (double)(r->loss[p] + r->baseline->value[0]);
            reward[r->slot[p]] = (real)earned;
            r->baseline->grad[0] -= r->loss[p];
        }
    }
    attend_begin_backward(r->attend, r->d_penalty, reward);
    return OK;
}

void decoder_view(const Node *y, Tape *t, const TapeView *as)
{
    const DecoderRun *r = y->data;
    if (!t->watch || t->status != OK || !r->attend) return;
    const int64_t K = attend_heads(r->decoder->attend);
    int64_t *offset = tape_alloc(t, (size_t)(r->slots + 1) * sizeof *offset);
    if (!offset) return;
    offset[0] = 0;
    for (int64_t i = 0; i < r->n; i++)
        for (int64_t p = r->seq.offset[i]; p < r->seq.offset[i + 1]; p++)
            offset[p + 1] = offset[p] + r->keys.offset[i + 1] - r->keys.offset[i];
    real *weight = tape_alloc(t, (size_t)(offset[r->slots] * K) * sizeof *weight);
    if (!weight) return;
    for (int64_t p = 0; p < r->slots; p++) {
        const real *row = attend_weights(r->attend, r->slot[p]);
        const int64_t keys = offset[p + 1] - offset[p];
        for (int64_t j = 0; j < keys; j++)
            for (int64_t k = 0; k < K; k++) weight[(offset[p] + j) * K + k] = row[k * keys + j];
    }
    TapeView v = *as;
    v.weight = tape_leaf(t, SHAPE2(offset[r->slots], K), weight, NULL);
    v.keys = (Segments){r->slots, offset};
    tape_view(t, &v);
}

int64_t decoder_looked(const Node *y, int64_t sequence, int64_t position)
{
    const DecoderRun *r = y->data;
    if (!r->attend) return -1;
    const real *weight = attend_weights(r->attend, r->slot[position]);
    const int64_t K = attend_heads(r->decoder->attend);
    const int64_t keys = r->keys.offset[sequence + 1] - r->keys.offset[sequence];
    int64_t best = -1;
    double most = -1;
    for (int64_t j = 0; j < keys; j++) {
        double sum = 0;
        for (int64_t k = 0; k < K; k++) sum += (double)weight[k * keys + j];
        if (sum <= most) continue;
        most = sum;
        best = j;
    }
    return best;
}
