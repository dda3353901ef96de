/* seq2seq_forward.c - the source's states, and the target's positions. */
#include <math.h>

#include "io/text/vocab.h"
#include "trainer/model/seq2seq.h"

/* Keys of examples, and of the positions of each. */
static Status source_keys(Tape *t, const Batch *b, const Ragged *source, uint64_t **example, uint64_t **position)
{
    if (!t->train) return OK;
    TRY_NEW(*example, t->arena, b->B);
    TRY_NEW(*position, t->arena, source->count[1]);
    for (int64_t i = 0; i < b->B; i++) {
        (*example)[i] = (uint64_t)b->example[i];
        for (int64_t p = source->offset[0][i]; p < source->offset[0][i + 1]; p++)
            (*position)[p] = op_row_key(b->example[i], p - source->offset[0][i]);
    }
    return OK;
}

static double temperature(const Seq2SeqSettings *s, const Tape *t)
{
    return t->train ? fmax(fmin(s->temperature_least, s->temperature),
                           s->temperature * exp(-s->temperature_rate * (double)t->step))
                    : s->temperature;
}

void seq2seq_encode(const Model *m, Tape *t, const Batch *b, Seq2SeqSource *out)
{
    const Seq2SeqSettings *set = m->settings;
    const Seq2Seq *s = m->state;
    const Ragged *source = batch_field(b, "source");
    const Segments words = {b->B, source->offset[0]};
    uint64_t *key = NULL, *position = NULL;
    *out = (Seq2SeqSource){0};
    if (t->status == OK) tape_fail(t, source_keys(t, b, source, &key, &position));
    const Lookup lookup = s->words ? s->words(m, t, b) : embedding_forward(&s->source, t, source->count[1], source->id);
    Node *x = lookup.rows;
    const int32_t *index = lookup.index;
    if (t->train && set->dropout_embedding > 0 && t->status == OK) {
        x = op_dropout(t, op_gather(t, x, lookup.n, index), set->dropout_embedding, position);
        index = NULL;
    }
    const RnnOut read = rnn_forward(&s->encoder, t, x, index, words, key);
    if (t->status != OK) return;
    const RnnLast *first = bridge_forward(&s->bridge, t, read.layer, b->B);
    out->key = key;
    out->start = (DecoderStart){.layer = first,
                                .states = s->attend ? read.states : NULL,
                                .keys = words,
                                .temperature = temperature(set, t),
                                .row_key = key};
}

Status seq2seq_positions(Arena *arena, int64_t n, const GenerateWords *words, Seq2SeqTarget *out)
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

Status seq2seq_target(const Model *m, Arena *arena, const Batch *b, Seq2SeqTarget *out)
{
    const Ragged *target = batch_field(b, "target");
    GenerateWords *words;
    REQUIRE(target && target->field->levels == 1 && target->id, ERR_DATA,
            "model %s: the batch has no field target of words", m->def->component.name);
    TRY_NEW(words, arena, b->B);
    for (int64_t i = 0; i < b->B; i++) {
        const int64_t first = target->offset[0][i];
        words[i] = (GenerateWords){target->offset[0][i + 1] - first, target->id + first};
    }
    return seq2seq_positions(arena, b->B, words, out);
}
