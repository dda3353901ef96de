/* decoder_steps.c - a decoder that makes its sequences word by word: each row takes the state of a row of the step
 * before, and goes the same step as in training. */
#include <string.h>

#include "trainer/layer/decoder_run.h"

struct DecoderSteps {
    DecoderRun run;
    int64_t longest;   /* most keys of a sequence */
    real *coverage[2]; /* (rows, longest) of this step and the one before; NULL: none */
};

/* Coverage has its place of `longest` numbers for each row, twice. */
static Status open_coverage(DecoderSteps *s, Arena *arena, int64_t rows)
{
    const Segments *keys = &s->run.keys;
    for (int64_t i = 0; i < keys->n; i++) {
        const int64_t n = keys->offset[i + 1] - keys->offset[i];
        s->longest = n > s->longest ? n : s->longest;
    }
    if (!s->run.coverage) return OK;
    for (int i = 0; i < 2; i++) TRY_NEW(s->coverage[i], arena, rows * s->longest);
    TRY_NEW(s->run.coverage, arena, rows);
    return OK;
}

Status decoder_open(DecoderSteps **out, const Decoder *d, Tape *t, int64_t rows, const DecoderStart *start)
{
    DecoderSteps *s;
    TRY_NEW(s, t->arena, 1);
    DecoderRun *r = &s->run;
    *r = (DecoderRun){.decoder = d, .keys = start->keys, .slots = rows, .begin = start};
    TRY(decoder_run_open(r, t->arena, rows, rows));
    TRY(decoder_run_pack(r, t->arena));
    if (start->states) {
        TRY(decoder_attend_open(r, t, start->states, false, false));
        TRY(open_coverage(s, t->arena, rows));
    }
    *out = s;
    return OK;
}

int64_t decoder_projection_width(const DecoderSteps *s)
{
    return s->run.cell[0].def->gates * s->run.decoder->settings.hidden;
}

void decoder_project(const DecoderSteps *s, int64_t n, const real *x, real *y)
{
    decoder_run_project(&s->run, n, x, y);
}

/* State and cell before the step: of the parents, or those before the first step. */
static void take_cell(const DecoderSteps *s, const DecoderStep *step, int64_t l)
{
    const DecoderRun *r = &s->run;
    const DecoderCellRun *c = &r->cell[l];
    const int64_t h = c->h, width = c->def->columns * h;
    const RnnLast *first = &r->begin->layer[l];
    const bool start = !step->parent;
    const int32_t *from = start ? step->sentence : step->parent;
    kernels()->gather(step->rows, h, start ? first->state->value : c->state, start ? h : c->ld_state, from,
                      c->first_state, h);
    memcpy(c->before, c->first_state, (size_t)(step->rows * h) * sizeof(real));
    if (c->def->gates == 4)
        kernels()->gather(step->rows, h, start ? first->cell->value : c->record, start ? h : width, from,
                          c->first_record, width);
}

static void take_rest(DecoderSteps *s, const DecoderStep *step)
{
    DecoderRun *r = &s->run;
    const int64_t h = r->decoder->settings.hidden;
    if (r->feed && step->parent)
        kernels()->gather(step->rows, h, r->out, h, step->parent, r->feed, h);
    else if (r->feed)
        memset(r->feed, 0, (size_t)(step->rows * h) * sizeof(real));
    if (!r->coverage) return;
    real *now = s->coverage[step->step % 2], *before = s->coverage[(step->step + 1) % 2];
    if (step->parent)
        kernels()->gather(step->rows, s->longest, before, s->longest, step->parent, now, s->longest);
    else
        memset(now, 0, (size_t)(step->rows * s->longest) * sizeof(real));
    for (int64_t i = 0; i < step->rows; i++) r->coverage[i] = now + i * s->longest;
}

void decoder_step(DecoderSteps *s, const DecoderStep *step, real *y)
{
    DecoderRun *r = &s->run;
    const int64_t h = r->decoder->settings.hidden, width = decoder_width(r->decoder);
    for (int64_t l = 0; l < r->decoder->settings.layers; l++) take_cell(s, step, l);
    take_rest(s, step);
    r->sentence = step->sentence;
    const DecoderRows rows = {.step = step->step, .rows = step->rows, .slot_before = -1};
    decoder_run_step(r, &rows, step->projection);
    for (int64_t i = 0; i < step->rows; i++) {
        const real *state, *context;
        decoder_run_result(r, i, &state, &context);
        memcpy(y + i * width, state, (size_t)h * sizeof(real));
        if (context) memcpy(y + i * width + h, context, (size_t)(width - h) * sizeof(real));
    }
}

const real *decoder_weights(const DecoderSteps *s, int64_t row)
{
    return s->run.attend ? attend_weights(s->run.attend, row) : NULL;
}
