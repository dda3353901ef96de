/* nested_chars.c - words read character by character; the loss of words that are spelled. */
#include "io/text/vocab.h"
#include "trainer/model/nested.h"

Status nested_collect(Arena *arena, const Ragged *chars, int64_t n, const int64_t *word, NestedWords *out)
{
    int64_t *offset, at = 0;
    TRY_NEW(offset, arena, n + 1);
    for (int64_t i = 0; i < n; i++)
        offset[i + 1] = offset[i] + chars->offset[1][word[i] + 1] - chars->offset[1][word[i]];
    TRY_NEW(out->id, arena, offset[n]);
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = chars->offset[1][word[i]]; c < chars->offset[1][word[i] + 1]; c++)
            out->id[at++] = chars->id[c];
    out->seq = (Segments){n, offset};
    return OK;
}

RnnOut nested_read(const Nested *n, Tape *t, const NestedWords *words)
{
    const Lookup lookup = embedding_forward(&n->chars, t, words->seq.offset[words->seq.n], words->id);
    return rnn_forward(&n->reader, t, lookup.rows, lookup.index, words->seq, NULL);
}

Status nested_find(Arena *arena, const Batch *b, const Node *y, Segments seq, const int32_t *word, NestedUnknown *out)
{
    const Ragged *source = batch_field(b, "source");
    *out = (NestedUnknown){0};
    const int64_t N = seq.offset[seq.n];
    TRY_NEW(out->position, arena, N);
    TRY_NEW(out->aligned, arena, N);
    TRY_NEW(out->target, arena, N);
    TRY_NEW(out->example, arena, N);
    TRY_NEW(out->word, arena, N);
    for (int64_t i = 0; i < seq.n; i++)
        for (int64_t p = seq.offset[i]; p < seq.offset[i + 1] - 1; p++) {
            const int64_t looked = word[p] == VOCAB_UNK ? decoder_looked(y, i, p) : -1;
            if (looked < 0) continue; /* an empty source has nothing to spell from */
            out->position[out->n] = (int32_t)p;
            out->aligned[out->n] = source->offset[0][i] + looked;
            out->example[out->n] = (int32_t)i;
            out->word[out->n] = (int32_t)(p - seq.offset[i]);
            out->target[out->n++] = p - i; /* each example before has an end more than words */
        }
    return OK;
}

Status nested_begin(const Nested *n, Tape *t, const Batch *b, Node *y, const NestedUnknown *unknown,
                    DecoderStart *start)
{
    NestedWords words;
    RnnLast *first;
    TRY(nested_collect(t->arena, batch_field(b, "source_chars"), unknown->n, unknown->aligned, &words));
    TRY_NEW(first, t->arena, 1);
    Node *states = nested_read(n, t, &words).states;
    first->state = op_tanh(t, linear_forward(&n->begin, t, op_gather(t, y, unknown->n, unknown->position)));
    *start = (DecoderStart){.layer = first, .states = states, .keys = words.seq};
    return tape_status(t);
}

/* The characters of the target's unknown words: <s> a b c in, a b c </s> out. */
static Status characters(Arena *arena, const Ragged *chars, const NestedUnknown *unknown, Seq2SeqTarget *out)
{
    GenerateWords *words;
    TRY_NEW(words, arena, unknown->n);
    for (int64_t i = 0; i < unknown->n; i++) {
        const int64_t *at = chars->offset[1] + unknown->target[i];
        words[i] = (GenerateWords){at[1] - at[0], chars->id + at[0]};
    }
    return seq2seq_positions(arena, unknown->n, words, out);
}

/* each: -log p of the characters. */
static Status share(Arena *arena, const NestedUnknown *unknown, Segments seq, const real *each, Prediction *out)
{
    double *more;
    TRY_NEW(more, arena, out->seq.offset[out->seq.n]);
    for (int64_t i = 0; i < unknown->n; i++)
        for (int64_t c = seq.offset[i]; c < seq.offset[i + 1]; c++) more[unknown->position[i]] += (double)each[c];
    out->words.more = more;
    return OK;
}

static Status spell(const Nested *n, Tape *t, const Batch *b, Node *y, Prediction *out, Node **loss)
{
    NestedUnknown unknown;
    DecoderStart start;
    Seq2SeqTarget text;
    real *each;
    TRY(nested_find(t->arena, b, y, out->seq, out->words.target, &unknown));
    if (unknown.n == 0) return OK;
    TRY(nested_begin(n, t, b, y, &unknown, &start));
    TRY(characters(t->arena, batch_field(b, "target_chars"), &unknown, &text));
    const int64_t N = text.seq.offset[text.seq.n];
    const Lookup lookup = embedding_forward(&n->chars, t, N, text.input);
    const DecoderOut made = decoder_forward(&n->speller, t, lookup.rows, lookup.index, text.seq, &start);
    TRY_NEW(each, t->arena, N);
    *loss = op_output_loss(t, made.y, tape_param(t, n->w), tape_param(t, n->bias), text.output, 0, each);
    TRY(tape_status(t));
    return share(t->arena, &unknown, text.seq, each, out);
}

Node *nested_loss(const Nested *n, Tape *t, const Batch *b, Node *y, Prediction *out)
{
    Node *loss = NULL;
    if (t->status == OK) tape_fail(t, spell(n, t, b, y, out, &loss));
    return loss;
}
