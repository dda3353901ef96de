/* nested.c - words, and characters nested in them where a word is not in the vocabulary (Ji 2017): for the correction
 * of grammar and spelling.
 *
 *   source   a word outside the vocabulary gets its vector from its characters, read in both directions
 *   target   words as in seq2seq; where the word is unknown, a second decoder spells it, character by character. It
 *            starts from the word decoder's result and looks at the characters of the one source word that the word
 *            attention chose: z = argmax_j a_j
 *   loss     -log p of the words, and -log p of the characters of the unknown ones */
#include "trainer/model/nested.h"
#include "io/text/vocab.h"

#define OWN(member, ...) FIELD(NestedSettings, member, __VA_ARGS__)

static const Field fields[] = {
#include "trainer/model/seq2seq_rows.h"
    OWN(char_dim, .preset = "64", .min = 1, .max = 8192, .unit = "units", .help = "Width of a character's vector."),
    OWN(char_hidden, .preset = "128", .min = 1, .max = 8192, .unit = "units",
        .help = "Width of the state that reads characters, of each direction, and of the one that spells."),
    OWN(char_score, .preset = "general", .choice = score_name, .help = "Score of the attention to characters."),
};

static const ModelNeed needs[] = {{"source", 1, "words of the source"},
                                  {"target", 1, "words of the target"},
                                  {"source_chars", 2, "characters of the source's words"},
                                  {"target_chars", 2, "characters of the target's words"}};

/* Rows of the table, and below them the vectors of the unknown words. */
static Lookup words(const Model *m, Tape *t, const Batch *b)
{
    const Nested *n = m->state;
    const Ragged *source = batch_field(b, "source"), *chars = batch_field(b, "source_chars");
    Lookup lookup = embedding_rows(&n->word.source, t, source->count[1], source->id);
    if (t->status != OK) return lookup;
    int64_t unknown = 0, *word = tape_alloc(t, (size_t)source->count[1] * sizeof *word);
    int32_t *index = tape_alloc(t, (size_t)source->count[1] * sizeof *index);
    if (!word || !index) return lookup;
    const int64_t known = lookup.rows->shape.d[0];
    for (int64_t i = 0; i < source->count[1]; i++) {
        index[i] = lookup.index[i];
        if (source->id[i] != VOCAB_UNK) continue;
        index[i] = (int32_t)(known + unknown);
        word[unknown++] = i;
    }
    if (unknown == 0) return embedding_apart(t, lookup, source->id);
    NestedWords read;
    tape_fail(t, nested_collect(t->arena, chars, unknown, word, &read));
    if (t->status != OK) return lookup;
    Node *made = linear_forward(&n->compose, t, nested_read(n, t, &read).last);
    return embedding_apart(t, (Lookup){op_stack(t, lookup.rows, made), index, lookup.n}, source->id);
}

static Status build_characters(Model *m)
{
    const NestedSettings *s = m->settings;
    Nested *n = m->state;
    const EmbeddingOptions o = {
        .kind = "learned", .words = m->data.characters, .width = s->char_dim, .spread = s->word.embedding_spread};
    const RnnSettings reader = {.cell = RNN_GRU, .hidden = s->char_hidden, .layers = 1, .bidirectional = true};
    const AttendSettings attend = {
        .score = s->char_score, .select = "soft", .range = "global", .attend = s->char_hidden, .rows = 1};
    const AttendSizes size = {.keys = 2 * s->char_hidden, .query = s->char_hidden, .longest = m->data.longest_words};
    const DecoderSettings speller = {.cell = RNN_GRU,
                                     .input = s->char_dim,
                                     .hidden = s->char_hidden,
                                     .layers = 1,
                                     .apply = DECODER_AFTER,
                                     .input_feeding = true};
    TRY(embedding_build(&n->chars, m->params, "characters/embedding", &o));
    TRY(rnn_declare(&n->reader, m->params, "characters/reader", reader, s->char_dim));
    TRY(linear_build(&n->compose, m->params, "characters/compose", 2 * s->char_hidden, n->word.source.width));
    TRY(linear_build(&n->begin, m->params, "characters/begin", decoder_width(&n->word.decoder), s->char_hidden));
    TRY(attend_build(&n->attend, m->params, &attend, size, "characters/attention"));
    TRY(decoder_build(&n->speller, m->params, "characters/speller", &speller, n->attend));
    TRY(param_add(&n->w, m->params, "characters/output/W", SHAPE2(m->data.characters, s->char_hidden), INIT_XAVIER, 1));
    return param_add(&n->bias, m->params, "characters/output/b", SHAPE1(m->data.characters), INIT_ZERO, 0);
}

static Status build(Model *m)
{
    Nested *n;
    TRY_NEW(n, m->run, 1);
    m->state = n;
    n->word.words = words;
    TRY(seq2seq_build(m));
    REQUIRE(n->word.attend, ERR_CONFIG, "model nested needs an attention: apply none has none");
    REQUIRE(m->data.characters > VOCAB_SPECIALS, ERR_DATA, "model nested: the corpus has no vocabulary characters");
    return build_characters(m);
}

static Status check(const Batch *b)
{
    const Ragged *source = batch_field(b, "source"), *chars = batch_field(b, "source_chars");
    REQUIRE(chars->count[1] == source->count[1], ERR_DATA,
            "model nested: %lld words, but characters of %lld: it takes words, not subwords",
            (long long)source->count[1], (long long)chars->count[1]);
    return OK;
}

static void forward(Model *m, Tape *t, const Batch *b, Prediction *out)
{
    Seq2SeqSource source;
    Node *made = NULL;
    if (t->status == OK) tape_fail(t, check(b));
    if (t->status != OK) return;
    seq2seq_encode(m, t, b, &source);
    if (t->status == OK) tape_fail(t, seq2seq_tokens(m, t, b, &source, out, &made));
    if (t->status != OK) return;
    Node *spelled = nested_loss(m->state, t, b, made, out);
    if (spelled) out->penalty = out->penalty ? op_add(t, out->penalty, spelled) : spelled;
}

const ModelDef model_nested = {
    .component = {.name = "nested",
                  .help = "Words with attention, and characters nested in them for words outside the vocabulary.",
                  .source = "Ji et al. 2017",
                  ROWS(fields, NestedSettings)},
    .needs = needs,
    .n_needs = COUNT(needs),
    .target = "target",
    .predicts = PREDICTION_WORDS,
    .build = build,
    .init = seq2seq_init,
    .forward = forward,
    .generate = &nested_generate,
    .tiny =
        "source: {name: parallel, train_source: [sample.en], train_target: [sample.de], valid_source: [sample.en],\n"
        "         valid_target: [sample.de], test_source: [sample.en], test_target: [sample.de], characters: true}\n"
        "pack: {min_count: 2}\n"
        "model: {name: nested, dim: 4, hidden: 4, attend: 3, char_dim: 3, char_hidden: 3}\n"
        "task: {name: translation}\n",
};
