/* look_own.c - a pair without a target gets the model's own. */
#include <string.h>

#include "trainer/decode/decode.h"
#include "trainer/look/look.h"

/* The field `target` of the batch, made when it has none. */
static int target_field(Batch *b)
{
    for (int f = 0; f < b->n_fields; f++)
        if (b->field[f].field->role == ROLE_TARGET) return f;
    return b->n_fields++;
}

static Status fill_target(const Session *s, const DecodeHypothesis *h, Arena *arena, Ragged *r, const Word **word)
{
    const DataField *field = corpus_role(s->corpus, ROLE_TARGET);
    const Vocab *vocab = corpus_vocab(s->corpus, field->vocab);
    int64_t *offset;
    int32_t *id;
    Word *w;
    TRY_NEW(offset, arena, 2);
    TRY_NEW(id, arena, h->n + 1);
    TRY_NEW(w, arena, h->n + 1);
    offset[1] = h->n;
    for (int64_t j = 0; j < h->n; j++) {
        id[j] = h->word[j];
        const char *text = vocab_word(vocab, id[j]);
        w[j] = (Word){text, strlen(text)};
    }
    *r = (Ragged){.field = field, .count = {1, h->n}, .offset = {offset}, .id = id};
    *word = w;
    return OK;
}

Status look_own(Session *s, const Batch *b, const Word *const *word, Arena *arena, Batch *out,
                const Word *out_word[BATCH_FIELDS])
{
    const DecodeRequest request = {.batch = b, .seed = s->seed};
    DecodeOutput *found;
    TRY(decode_batch(s->model, config_section(s->config, "decode"), &request, arena, &found));
    REQUIRE(found[0].n > 0, ERR_INTERNAL, "the model has made no sequence");
    *out = *b;
    for (int f = 0; f < b->n_fields; f++) out_word[f] = word[f];
    const int f = target_field(out);
    REQUIRE(f < BATCH_FIELDS, ERR_INTERNAL, "a batch of more than %d fields", BATCH_FIELDS);
    return fill_target(s, &found[0].item[0], arena, &out->field[f], &out_word[f]);
}

bool look_has_target(const Model *m, const Batch *b)
{
    const Ragged *r = batch_field(b, "target");
    return !m->def->generate || (r && r->field->levels == 1 && r->count[1] > 0);
}
