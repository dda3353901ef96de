/* writer.c - the parts of a writer in their order, over whole outputs and word by word. */
#include "trainer/generate/writer.h"

#include <math.h>
#include <string.h>

#include "io/text/vocab.h"
#include "trainer/core/panel.h"

enum { BLOCK_WORDS = 256 };

Status writer_build(Writer *w, Params *ps, const DecoderPaths *path, const char *readout_path, Chosen readout,
                    int64_t words)
{
    TRY(decoder_build(&w->decoder, ps, path, w->words.width, words));
    return readout_build(&w->readout, ps, readout_path, readout, w->decoder.width, w->words.width);
}

Status writer_build_output(Writer *w, Params *ps, const char *path, int64_t words, bool tied, double spread)
{
    const int64_t D = w->readout.width;
    const char *weights = arena_format(ps->arena, "%s/W", path), *bias = arena_format(ps->arena, "%s/b", path);
    if (!weights || !bias) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    const double wide = readout_bounded(&w->readout) ? sqrt((double)(words + D) / (2.0 * (double)D)) : 1;
    TRY(param_add(&w->w, ps, weights, SHAPE2(words, D), tied ? INIT_NORMAL : INIT_XAVIER, tied ? spread : wide));
    w->w->meaning = tied ? "rows are words: their embeddings, and what features are compared with" : "rows are words";
    TRY(param_add(&w->bias, ps, bias, SHAPE1(words), INIT_ZERO, 0));
    w->bias->meaning = "bias of each word";
    if (tied) w->words = (Embedding){.table = w->w, .words = words, .width = D};
    return OK;
}

Status writer_positions(Arena *arena, int64_t n, const GenerateWords *words, WriterPositions *out)
{
    int64_t *offset;
    TRY_NEW(offset, arena, n + 1);
    for (int64_t i = 0; i < n; i++) offset[i + 1] = offset[i] + words[i].n + 1;
    TRY_NEW(out->input, arena, offset[n]);
    TRY_NEW(out->output, arena, offset[n]);
    for (int64_t i = 0; i < n; i++) {
        int32_t *input = out->input + offset[i], *output = out->output + offset[i];
        for (int64_t j = 0; j < words[i].n; j++) input[j + 1] = output[j] = words[i].id[j];
        input[0] = VOCAB_BOS;
        output[words[i].n] = VOCAB_EOS;
    }
    out->seq = (Segments){n, offset};
    return OK;
}

/* --- Over whole outputs. --- */

/* Keys of the positions of each example, for what is dropped. */
static Status position_keys(Tape *t, Segments seq, const Memory *m, uint64_t **key)
{
    if (!t->train || !m->key) return OK;
    TRY_NEW(*key, t->arena, seq.offset[seq.n]);
    for (int64_t i = 0; i < seq.n; i++)
        for (int64_t p = seq.offset[i]; p < seq.offset[i + 1]; p++)
            (*key)[p] = op_row_key((int64_t)m->key[i], p - seq.offset[i]);
    return OK;
}

void writer_forward(const Writer *w, Tape *t, const WriterPositions *positions, const Memory *m, const WriterPass *pass,
                    Written *out)
{
    *out = (Written){0};
    const Segments seq = positions->seq;
    const int64_t N = seq.offset[seq.n];
    uint64_t *key = NULL;
    if (t->status == OK) tape_fail(t, position_keys(t, seq, m, &key));
    if (t->status != OK) return;
    const Lookup lookup = embedding_forward(&w->words, t, N, positions->input);
    Node *e = NULL;
    DecoderInput in = {.x = lookup.rows, .index = lookup.index, .seq = seq, .wanted = pass->wanted};
    if (t->train && pass->dropout_embedding > 0) {
        in.x = e = op_dropout(t, op_gather(t, in.x, N, in.index), pass->dropout_embedding, key);
        in.index = NULL;
    } else if (readout_reads_embedding(&w->readout)) {
        e = op_gather(t, in.x, N, in.index);
    }
    out->made = decoder_forward(&w->decoder, t, &in, m);
    if (t->status != OK) return;
    out->x = op_dropout(t, readout_forward(&w->readout, t, out->made.y, e), pass->dropout_output, key);
    out->w = tape_param(t, w->w);
    out->bias = tape_param(t, w->bias);
}

/* --- Word by word. --- */

/* Each word is projected once, however many rows have it: rows of a table in blocks that come as they are needed. */
typedef struct Projections {
    int32_t *place; /* (V) of each word, -1: none yet */
    int64_t n, width;
    real **block;        /* each (BLOCK_WORDS, width) */
    int32_t *fresh;      /* (rows) words of a step that have no place yet, */
    real *vector, *sums; /* their (rows, E) embeddings and (rows, width) projections */
    const real **row;    /* (rows) of a step */
} Projections;

struct WriterSteps {
    const Writer *writer;
    Arena *arena;
    const Memory *memory;
    DecoderSteps decoder;
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

static Status open_projections(WriterSteps *s, int64_t rows)
{
    Projections *p = &s->projections;
    const Embedding *words = &s->writer->words;
    p->width = s->writer->decoder.projection;
    TRY_NEW(p->place, s->arena, words->words);
    for (int64_t i = 0; i < words->words; i++) p->place[i] = -1;
    TRY_NEW(p->block, s->arena, words->words / BLOCK_WORDS + 1);
    TRY_NEW(p->fresh, s->arena, rows);
    TRY_NEW(p->row, s->arena, rows);
    TRY(reals(&p->vector, s->arena, rows, words->width));
    return reals(&p->sums, s->arena, rows, p->width);
}

static Status open_weights(WriterSteps *s, int64_t rows)
{
    const Segments *keys = &s->memory->seq;
    for (int64_t i = 0; i < keys->n; i++) {
        const int64_t n = keys->offset[i + 1] - keys->offset[i];
        s->longest = n > s->longest ? n : s->longest;
    }
    TRY_NEW(s->weight, s->arena, rows);
    return s->writer->decoder.heads > 1 ? reals(&s->mean, s->arena, rows, s->longest) : OK;
}

Status writer_open(WriterSteps **out, const Writer *w, Tape *t, const Memory *m, int64_t rows)
{
    WriterSteps *s;
    Memory *memory;
    TRY(tape_status(t));
    TRY_NEW(s, t->arena, 1);
    TRY_NEW(memory, t->arena, 1);
    *memory = *m;
    *s = (WriterSteps){.writer = w, .arena = t->arena, .memory = memory};
    TRY(decoder_open(&s->decoder, &w->decoder, t, rows, memory));
    TRY(open_projections(s, rows));
    TRY(readout_open(&s->readout, t->arena, &w->readout, rows));
    const int64_t V = w->w->shape.d[0], D = w->w->shape.d[1];
    TRY(panel_pack(&s->w, t->arena, w->w->value, true, D, V));
    TRY(reals(&s->e, t->arena, rows, w->words.width));
    TRY(reals(&s->y, t->arena, rows, w->decoder.width));
    TRY(reals(&s->logits, t->arena, rows, V));
    if (w->decoder.heads > 0) TRY(open_weights(s, rows));
    *out = s;
    return OK;
}

static Status project_fresh(WriterSteps *s, int64_t n)
{
    Projections *p = &s->projections;
    embedding_copy(&s->writer->words, n, p->fresh, p->vector);
    decoder_project(&s->decoder, n, p->vector, p->sums);
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = p->n + i;
        real **block = &p->block[at / BLOCK_WORDS];
        if (!*block) TRY(reals(block, s->arena, BLOCK_WORDS, p->width));
        memcpy(*block + at % BLOCK_WORDS * p->width, p->sums + i * p->width, (size_t)p->width * sizeof(real));
    }
    p->n += n;
    return OK;
}

static Status project(WriterSteps *s, const GenerateStep *step)
{
    Projections *p = &s->projections;
    int64_t fresh = 0;
    for (int64_t i = 0; i < step->rows; i++) {
        const int32_t word = step->word[i];
        REQUIRE(word >= 0 && word < s->writer->words.words, ERR_INTERNAL, "word %d of %lld", (int)word,
                (long long)s->writer->words.words);
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
static void look(WriterSteps *s, const GenerateStep *step)
{
    const int64_t K = s->writer->decoder.heads;
    const int64_t *offset = s->memory->seq.offset;
    for (int64_t i = 0; i < step->rows; i++) {
        const real *weight = decoder_weights(&s->decoder, i);
        s->weight[i] = weight;
        if (K == 1) continue;
        const int64_t n = offset[step->sentence[i] + 1] - offset[step->sentence[i]];
        real *mean = s->mean + i * s->longest;
        memset(mean, 0, (size_t)n * sizeof *mean);
        for (int64_t k = 0; k < K; k++) kernels()->axpy(n, (real)1 / (real)K, weight + k * n, mean);
        s->weight[i] = mean;
    }
}

Status writer_step(WriterSteps *s, const GenerateStep *step, GenerateOut *out)
{
    const Writer *w = s->writer;
    TRY(project(s, step));
    const DecoderStep d = {.rows = step->rows,
                           .step = step->step,
                           .sentence = step->sentence,
                           .parent = step->parent,
                           .projection = s->projections.row};
    decoder_step(&s->decoder, &d, s->y);
    if (readout_reads_embedding(&w->readout)) embedding_copy(&w->words, step->rows, step->word, s->e);
    const real *features = readout_rows(&s->readout, step->rows, s->y, s->e);
    panel_gemm_bias(step->rows, features, w->readout.width, &s->w, w->bias->value, s->logits, s->w.n);
    if (w->decoder.heads > 0) look(s, step);
    *out = (GenerateOut){.logits = s->logits, .weight = w->decoder.heads > 0 ? s->weight : NULL};
    return OK;
}
