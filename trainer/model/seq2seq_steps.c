/* seq2seq_steps.c - the model word by word: the decoder's steps, the readout, and logits over all words. */
#include <string.h>

#include "trainer/core/panel.h"
#include "trainer/model/seq2seq.h"

enum { BLOCK_WORDS = 256 };

/* Each word is projected once, however many rows have it: rows of a table in blocks that come as they are needed. */
typedef struct Projections {
    int32_t *place; /* (V) of each word, -1: none yet */
    int64_t n, width;
    real **block;        /* each (BLOCK_WORDS, width) */
    int32_t *fresh;      /* (rows) words of a step that have no place yet, */
    real *vector, *sums; /* their (rows, E) embeddings and (rows, width) projections */
    const real **row;    /* (rows) of a step */
} Projections;

struct Seq2SeqSteps {
    const Seq2Seq *model;
    Arena *arena;
    Seq2SeqSource source;
    DecoderSteps *decoder;
    Projections projections;
    ReadoutRows readout;
    Panel w;              /* (D,V) */
    real *e, *y, *logits; /* (rows,E), (rows, width of the result), (rows,V) */
    real *mean;           /* (rows, longest) weights of several heads */
    int64_t longest;
    const real **weight; /* (rows) */
};

static Status reals(real **out, Arena *arena, int64_t rows, int64_t columns)
{
    *out = arena_alloc(arena, (size_t)(rows * columns) * sizeof **out);
    return *out ? OK : status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
}

static Status open_projections(Seq2SeqSteps *s, int64_t rows)
{
    Projections *p = &s->projections;
    const Embedding *words = &s->model->target;
    p->width = decoder_projection_width(s->decoder);
    TRY_NEW(p->place, s->arena, words->words);
    for (int64_t i = 0; i < words->words; i++) p->place[i] = -1;
    TRY_NEW(p->block, s->arena, words->words / BLOCK_WORDS + 1);
    TRY_NEW(p->fresh, s->arena, rows);
    TRY_NEW(p->row, s->arena, rows);
    TRY(reals(&p->vector, s->arena, rows, words->width));
    return reals(&p->sums, s->arena, rows, p->width);
}

static Status open_weights(Seq2SeqSteps *s, int64_t rows)
{
    const Segments *keys = &s->source.start.keys;
    for (int64_t i = 0; i < keys->n; i++) {
        const int64_t n = keys->offset[i + 1] - keys->offset[i];
        s->longest = n > s->longest ? n : s->longest;
    }
    TRY_NEW(s->weight, s->arena, rows);
    return attend_heads(s->model->attend) > 1 ? reals(&s->mean, s->arena, rows, s->longest) : OK;
}

Status seq2seq_open(Seq2SeqSteps **out, const Model *m, Tape *t, const Seq2SeqSource *source, int64_t rows)
{
    const Seq2Seq *model = m->state;
    Seq2SeqSteps *s;
    TRY(tape_status(t));
    TRY_NEW(s, t->arena, 1);
    *s = (Seq2SeqSteps){.model = model, .arena = t->arena, .source = *source};
    TRY(decoder_open(&s->decoder, &model->decoder, t, rows, &s->source.start));
    TRY(open_projections(s, rows));
    TRY(readout_open(&s->readout, t->arena, &model->readout, rows));
    const int64_t V = model->w->shape.d[0], D = model->w->shape.d[1];
    TRY(panel_pack(&s->w, t->arena, model->w->value, true, D, V));
    TRY(reals(&s->e, t->arena, rows, model->target.width));
    TRY(reals(&s->y, t->arena, rows, decoder_width(&model->decoder)));
    TRY(reals(&s->logits, t->arena, rows, V));
    if (model->attend) TRY(open_weights(s, rows));
    *out = s;
    return OK;
}

static Status project_fresh(Seq2SeqSteps *s, int64_t n)
{
    Projections *p = &s->projections;
    embedding_copy(&s->model->target, n, p->fresh, p->vector);
    decoder_project(s->decoder, n, p->vector, p->sums);
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = p->n + i;
        real **block = &p->block[at / BLOCK_WORDS];
        if (!*block) TRY(reals(block, s->arena, BLOCK_WORDS, p->width));
        memcpy(*block + at % BLOCK_WORDS * p->width, p->sums + i * p->width, (size_t)p->width * sizeof(real));
    }
    p->n += n;
    return OK;
}

static Status project(Seq2SeqSteps *s, const GenerateStep *step)
{
    Projections *p = &s->projections;
    int64_t fresh = 0;
    for (int64_t i = 0; i < step->rows; i++) {
        const int32_t word = step->word[i];
        REQUIRE(word >= 0 && word < s->model->target.words, ERR_INTERNAL, "word %d of %lld", (int)word,
                (long long)s->model->target.words);
        if (p->place[word] >= 0) continue;
        p->place[word] = (int32_t)(p->n + fresh);
        p->fresh[fresh++] = word;
    }
    if (fresh) TRY(project_fresh(s, fresh));
    for (int64_t i = 0; i < step->rows; i++) {
        const int64_t at = p->place[step->word[i]];
        p->row[i] = p->block[at / BLOCK_WORDS] + at % BLOCK_WORDS * p->width;
    }
    return OK;
}

/* Where each row looked, of several heads the mean. */
static void look(Seq2SeqSteps *s, const GenerateStep *step)
{
    const int64_t K = attend_heads(s->model->attend);
    const int64_t *offset = s->source.start.keys.offset;
    for (int64_t i = 0; i < step->rows; i++) {
        const real *weight = decoder_weights(s->decoder, i);
        s->weight[i] = weight;
        if (K == 1) continue;
        const int64_t n = offset[step->sentence[i] + 1] - offset[step->sentence[i]];
        real *mean = s->mean + i * s->longest;
        memset(mean, 0, (size_t)n * sizeof *mean);
        for (int64_t k = 0; k < K; k++) kernels()->axpy(n, (real)1 / (real)K, weight + k * n, mean);
        s->weight[i] = mean;
    }
}

Status seq2seq_step(Seq2SeqSteps *s, const GenerateStep *step, GenerateOut *out)
{
    const Seq2Seq *model = s->model;
    TRY(project(s, step));
    const DecoderStep d = {.rows = step->rows,
                           .step = step->step,
                           .sentence = step->sentence,
                           .parent = step->parent,
                           .projection = s->projections.row};
    decoder_step(s->decoder, &d, s->y);
    if (readout_reads_embedding(&model->readout)) embedding_copy(&model->target, step->rows, step->word, s->e);
    const real *features = readout_rows(&s->readout, step->rows, s->y, s->e);
    panel_gemm_bias(step->rows, features, model->readout.width, &s->w, model->bias->value, s->logits, s->w.n);
    if (model->attend) look(s, step);
    *out = (GenerateOut){.logits = s->logits, .weight = model->attend ? s->weight : NULL};
    return OK;
}

Status seq2seq_generate_open(Model *m, Tape *t, const Batch *b, int64_t rows, void **state)
{
    Seq2SeqSource source;
    Seq2SeqSteps *s;
    seq2seq_encode(m, t, b, &source);
    TRY(seq2seq_open(&s, m, t, &source, rows));
    *state = s;
    return OK;
}

Status seq2seq_generate_step(void *state, const GenerateStep *step, GenerateOut *out)
{
    return seq2seq_step(state, step, out);
}

const ModelGenerate seq2seq_generate = {.open = seq2seq_generate_open, .step = seq2seq_generate_step};
