/* nested_spell.c - the unknown words of finished outputs, spelled one character after the other, always the likeliest.
 */
#include "io/text/vocab.h"
#include "trainer/model/nested.h"

enum { SPARE = 10 }; /* a word may have so many characters more than twice its source word */

typedef struct Speller {
    const Nested *model;
    Tape *tape;
    DecoderSteps *steps;
    int64_t n, longest;          /* words; most characters of one */
    int64_t *most;               /* (n) */
    int32_t *row, *last, *guess; /* (n): 0, 1, ...; the character before; the next one */
    int32_t *text;               /* (n, longest) */
    int64_t *length;             /* (n) */
    bool *ended;                 /* (n) */
    real *x, *projected, *y;     /* (n, ...) */
    const real **projection;     /* (n) */
    double *loss;                /* (n) */
    Node *features, *w, *bias;   /* features: y on the tape */
} Speller;

static Status open(Speller *s, const DecoderStart *start)
{
    Arena *arena = s->tape->arena;
    TRY_NEW(s->most, arena, s->n);
    for (int64_t i = 0; i < s->n; i++) {
        s->most[i] = 2 * (start->keys.offset[i + 1] - start->keys.offset[i]) + SPARE;
        s->longest = s->most[i] > s->longest ? s->most[i] : s->longest;
    }
    TRY(decoder_open(&s->steps, &s->model->speller, s->tape, s->n, start));
    const int64_t width = decoder_projection_width(s->steps);
    TRY_NEW(s->row, arena, s->n);
    TRY_NEW(s->last, arena, s->n);
    TRY_NEW(s->guess, arena, s->n);
    TRY_NEW(s->text, arena, s->n * s->longest);
    TRY_NEW(s->length, arena, s->n);
    TRY_NEW(s->ended, arena, s->n);
    TRY_NEW(s->x, arena, s->n * s->model->chars.width);
    TRY_NEW(s->projected, arena, s->n * width);
    TRY_NEW(s->y, arena, s->n * decoder_width(&s->model->speller));
    TRY_NEW(s->projection, arena, s->n);
    TRY_NEW(s->loss, arena, s->n);
    for (int64_t i = 0; i < s->n; i++) {
        s->row[i] = (int32_t)i;
        s->last[i] = VOCAB_BOS;
        s->projection[i] = s->projected + i * width;
    }
    s->features = tape_leaf(s->tape, SHAPE2(s->n, decoder_width(&s->model->speller)), s->y, NULL);
    s->w = tape_param(s->tape, s->model->w);
    s->bias = tape_param(s->tape, s->model->bias);
    return tape_status(s->tape);
}

/* Returns whether any word goes on. */
static Status step(Speller *s, int64_t number, bool *more)
{
    embedding_copy(&s->model->chars, s->n, s->last, s->x);
    decoder_project(s->steps, s->n, s->x, s->projected);
    const DecoderStep d = {.rows = s->n,
                           .step = number,
                           .sentence = s->row,
                           .parent = number ? s->row : NULL,
                           .projection = s->projection};
    decoder_step(s->steps, &d, s->y);
    const ArenaMark mark = arena_mark(s->tape->arena);
    op_output_rows(s->tape, s->features, s->w, s->bias, s->last, s->loss, s->guess);
    arena_release(s->tape->arena, mark);
    TRY(tape_status(s->tape));
    *more = false;
    for (int64_t i = 0; i < s->n; i++) {
        s->ended[i] = s->ended[i] || s->guess[i] == VOCAB_EOS || number == s->most[i];
        s->last[i] = s->guess[i];
        if (s->ended[i]) continue;
        *more = true;
        if (s->guess[i] >= VOCAB_SPECIALS) s->text[i * s->longest + s->length[i]++] = s->guess[i];
    }
    return OK;
}

/* One after the other, in the order of the outputs. */
static Status hand_out(const Speller *s, const NestedUnknown *unknown, Arena *arena, GenerateSpelled *out)
{
    int64_t *offset, at = 0;
    TRY_NEW(offset, arena, s->n + 1);
    TRY_NEW(out->id, arena, s->n * s->longest);
    for (int64_t i = 0; i < s->n; i++) {
        for (int64_t c = 0; c < s->length[i]; c++) out->id[at++] = s->text[i * s->longest + c];
        offset[i + 1] = at;
    }
    out->n = s->n;
    out->example = unknown->example;
    out->word = unknown->word;
    out->offset = offset;
    return OK;
}

/* The word decoder once more, over its own words: where it looked when it made the unknown ones. */
static Status again(const Model *m, Tape *t, const Batch *b, const GenerateWords *words, Node **y, Seq2SeqTarget *made)
{
    const Seq2Seq *s = m->state;
    Seq2SeqSource source;
    seq2seq_encode(m, t, b, &source);
    TRY(tape_status(t));
    TRY(seq2seq_positions(t->arena, b->B, words, made));
    const Lookup lookup = embedding_forward(&s->target, t, made->seq.offset[b->B], made->input);
    *y = decoder_forward(&s->decoder, t, lookup.rows, lookup.index, made->seq, &source.start).y;
    return tape_status(t);
}

static Status spell(Model *m, Tape *t, const Batch *b, const GenerateWords *words, GenerateSpelled *out)
{
    Speller s = {.model = m->state, .tape = t};
    NestedUnknown unknown;
    DecoderStart start;
    Seq2SeqTarget made;
    Node *y = NULL;
    *out = (GenerateSpelled){0};
    TRY(again(m, t, b, words, &y, &made));
    TRY(nested_find(t->arena, b, y, made.seq, made.output, &unknown));
    s.n = unknown.n;
    if (s.n == 0) return OK;
    TRY(nested_begin(s.model, t, b, y, &unknown, &start));
    TRY(open(&s, &start));
    bool more = true;
    for (int64_t k = 0; more; k++) TRY(step(&s, k, &more));
    return hand_out(&s, &unknown, t->arena, out);
}

const ModelGenerate nested_generate = {.open = seq2seq_generate_open, .step = seq2seq_generate_step, .spell = spell};
