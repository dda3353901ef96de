/* nested.c - words, and characters nested in them where a word is not in the vocabulary (Ji 2017): for the correction
 * of grammar and spelling.
 *
 *   source   a word outside the vocabulary gets its vector from its characters, read in both directions
 *   target   words as a generator writes them; where the word is unknown, a second writer spells it, character by
 *            character. It starts from the word decoder's result and looks at the characters of the one source word
 *            that the word attention chose: z = argmax_j a_j
 *   loss     -log p of the words, and -log p of the characters of the unknown ones */
#include "io/text/vocab.h"
#include "trainer/generate/decoder/recurrent.h"
#include "trainer/model/words.h"

enum { SPARE = 10 }; /* a word may have so many characters more than twice its source word */

typedef struct Characters {
    int64_t dim, hidden;
    Chosen score;
} Characters;

typedef struct Settings {
    GeneratorSettings words;
    Characters characters;
} Settings;

static const Field character_rows[] = {
    FIELD(Characters, dim, .preset = "64", .min = 1, .max = 8192, .unit = "units",
          .help = "Width of a character's vector."),
    FIELD(Characters, hidden, .preset = "128", .min = 1, .max = 8192, .unit = "units",
          .help = "Width of the state that reads characters, of each direction, and of the one that spells."),
    FIELD_PART(Characters, score, score_choice, .preset = "general", .help = "Score of the attention to them."),
};

#define OWNER Settings
static const Field fields[] = {
#include "trainer/generate/generator_rows.h"
    FIELD_GROUP(Settings, characters, character_rows, .help = "How unknown words are read and spelled."),
};

static const ModelNeed needs[] = {
    {.role = ROLE_INPUT, .levels = 1, .meaning = "words of the source"},
    {.role = ROLE_TARGET, .levels = 1, .meaning = "words of the target"},
    {.role = ROLE_SPELLING, .of = ROLE_INPUT, .levels = 2, .meaning = "characters of the source's words"},
    {.role = ROLE_SPELLING, .of = ROLE_TARGET, .levels = 2, .meaning = "characters of the target's words"},
};

static int64_t letters_known(const Model *m) { return model_field(&m->data, ROLE_SPELLING, ROLE_INPUT)->words; }

typedef struct Nested {
    Generator words;
    Embedding chars; /* of both languages */
    Rnn reader;      /* of the characters of a word, in both directions */
    Linear compose;  /* its last states to the vector of a word */
    Linear begin;    /* the result of the word's step to the first state of the speller */
    Writer speller;  /* of characters, looking at the reader's states */
    RecurrentSettings spelling;
} Nested;

/* --- Words as sequences of characters. --- */

typedef struct Letters {
    Segments seq;
    int32_t *id; /* (seq.offset[seq.n]) */
} Letters;

/* word (n): their numbers in the field, whose levels are words and characters. */
static Status collect(Arena *arena, const Ragged *chars, int64_t n, const int64_t *word, Letters *out)
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

static RnnOut read_letters(const Nested *n, Tape *t, const Letters *words)
{
    const Lookup lookup = embedding_forward(&n->chars, t, words->seq.offset[words->seq.n], words->id);
    return rnn_forward(&n->reader, t, lookup.rows, lookup.index, words->seq, NULL);
}

/* The source's words: rows of the table, and below them the vectors of the unknown ones. */
static Lookup vectors(const void *owner, Tape *t, const Batch *b)
{
    const Nested *n = owner;
    const Ragged *source = batch_role(b, ROLE_INPUT), *chars = batch_role_of(b, ROLE_SPELLING, ROLE_INPUT);
    Lookup lookup = embedding_rows(&n->words.source, t, source->count[1], source->id);
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
    Letters read;
    tape_fail(t, collect(t->arena, chars, unknown, word, &read));
    if (t->status != OK) return lookup;
    Node *made = linear_forward(&n->compose, t, read_letters(n, t, &read).last);
    return embedding_apart(t, (Lookup){op_stack(t, lookup.rows, made), index, lookup.n}, source->id);
}

/* --- Parameters. --- */

static Status build_speller(Model *m)
{
    const Settings *s = m->settings;
    Nested *n = m->state;
    const DecoderPaths path = {
        .join = "characters/bridge", .attention = "characters/attention", .decoder = "characters/speller"};
    const MemoryShape memory = {.width = 2 * s->characters.hidden,
                                .longest = model_longest(&m->data),
                                .layers = 1,
                                .hidden = s->characters.hidden,
                                .directions = 1,
                                .cell = {.def = cell_find("gru")}};
    static const RecurrentAfter after = {.input_feeding = true};
    const DecoderLook look = {.attend = {.score = s->characters.score,
                                         .select = {schema_find(select_choice, "soft"), NULL},
                                         .range = {schema_find(range_choice, "global"), NULL}}};
    n->spelling = (RecurrentSettings){.cell = {.def = &recurrent_same},
                                      .apply = {recurrent_apply_choice(RECURRENT_AFTER), &after}};
    const Chosen speller = {&decoder_recurrent.component, &n->spelling}, state = {.def = readout_choice(0)};
    n->speller.words = n->chars;
    TRY(decoder_join(&n->speller.decoder, m->params, speller, &look, &memory, &path));
    TRY(writer_build(&n->speller, m->params, &path, "characters/readout", state, letters_known(m)));
    return writer_build_output(&n->speller, m->params, "characters/output", letters_known(m), false, 0);
}

static Status build_characters(Model *m)
{
    const Settings *s = m->settings;
    Nested *n = m->state;
    const EmbeddingOptions o = {.kind = EMBEDDING_LEARNED,
                                .words = letters_known(m),
                                .width = s->characters.dim,
                                .spread = s->words.embedding_spread};
    const RnnSettings reader = {
        .cell = {.def = cell_find("gru")}, .hidden = s->characters.hidden, .layers = 1, .bidirectional = true};
    TRY(embedding_build(&n->chars, m->params, "characters/embedding", &o));
    TRY(rnn_declare(&n->reader, m->params, "characters/reader", reader, s->characters.dim));
    TRY(linear_build(&n->compose, m->params, "characters/compose", 2 * s->characters.hidden, n->words.source.width));
    TRY(linear_build(&n->begin, m->params, "characters/begin", n->words.writer.decoder.width, s->characters.hidden));
    return build_speller(m);
}

static Status build(Model *m)
{
    const Settings *s = m->settings;
    Nested *n;
    TRY_NEW(n, m->run, 1);
    m->state = n;
    REQUIRE(encoder_reads(s->words.encoder.def) == ENCODER_WORDS, ERR_CONFIG,
            "model nested reads words, and encoder %s reads none", s->words.encoder.def->name);
    n->words.vectors = vectors;
    n->words.owner = n;
    TRY(words_build(m, &n->words, &s->words));
    REQUIRE(n->words.writer.decoder.heads > 0, ERR_CONFIG, "model nested needs an attention: apply none has none");
    REQUIRE(letters_known(m) > VOCAB_SPECIALS, ERR_DATA, "model nested: the corpus has no vocabulary characters");
    return build_characters(m);
}

static Status init(Model *m)
{
    Nested *n = m->state;
    return words_init(m, &n->words);
}

/* --- The unknown words among outputs. --- */

typedef struct Unknown {
    int64_t n;
    int32_t *position;       /* (n) of the outputs' positions */
    int64_t *aligned;        /* (n) the source word that got most attention there, its number in the field */
    int64_t *target;         /* (n) number of the word among all words of the outputs */
    int32_t *example, *word; /* (n) example of the batch, and the word's place in its output */
} Unknown;

static Status find(Arena *arena, const Batch *b, const Decoded *made, const int32_t *word, Unknown *out)
{
    const Ragged *source = batch_role(b, ROLE_INPUT);
    const Segments seq = made->seq;
    *out = (Unknown){0};
    const int64_t N = seq.offset[seq.n];
    TRY_NEW(out->position, arena, N);
    TRY_NEW(out->aligned, arena, N);
    TRY_NEW(out->target, arena, N);
    TRY_NEW(out->example, arena, N);
    TRY_NEW(out->word, arena, N);
    for (int64_t i = 0; i < seq.n; i++)
        for (int64_t p = seq.offset[i]; p < seq.offset[i + 1] - 1; p++) {
            const int64_t looked = word[p] == VOCAB_UNK ? decoder_looked(made, i, p) : -1;
            if (looked < 0) continue; /* an empty source has nothing to spell from */
            out->position[out->n] = (int32_t)p;
            out->aligned[out->n] = source->offset[0][i] + looked;
            out->example[out->n] = (int32_t)i;
            out->word[out->n] = (int32_t)(p - seq.offset[i]);
            out->target[out->n++] = p - i; /* each example before has an end more than words */
        }
    return OK;
}

/* What the speller looks at and starts from: the aligned words' characters and the word decoder's results. */
static Status begin(const Nested *n, Tape *t, const Batch *b, Node *y, const Unknown *unknown, Memory **out)
{
    Letters words;
    RnnLast *first;
    TRY(collect(t->arena, batch_role_of(b, ROLE_SPELLING, ROLE_INPUT), unknown->n, unknown->aligned, &words));
    TRY_NEW(first, t->arena, 1);
    TRY_NEW(*out, t->arena, 1);
    Node *states = read_letters(n, t, &words).states;
    first->state = op_tanh(t, linear_forward(&n->begin, t, op_gather(t, y, unknown->n, unknown->position)));
    **out = (Memory){.n = unknown->n, .states = states, .seq = words.seq, .last = first};
    return tape_status(t);
}

/* --- The loss of the unknown words' characters. --- */

/* The characters of the target's unknown words: <s> a b c in, a b c </s> out. */
static Status characters(Arena *arena, const Ragged *chars, const Unknown *unknown, WriterPositions *out)
{
    GenerateWords *words;
    TRY_NEW(words, arena, unknown->n);
    for (int64_t i = 0; i < unknown->n; i++) {
        const int64_t *at = chars->offset[1] + unknown->target[i];
        words[i] = (GenerateWords){at[1] - at[0], chars->id + at[0]};
    }
    return writer_positions(arena, unknown->n, words, out);
}

/* each: -log p of the characters. */
static Status share(Arena *arena, const Unknown *unknown, Segments seq, const real *each, Prediction *out)
{
    double *more;
    TRY_NEW(more, arena, out->seq.offset[out->seq.n]);
    for (int64_t i = 0; i < unknown->n; i++)
        for (int64_t c = seq.offset[i]; c < seq.offset[i + 1]; c++) more[unknown->position[i]] += (double)each[c];
    out->words.more = more;
    return OK;
}

/* *loss: NULL when there are none. */
static Status spelling_loss(const Nested *n, Tape *t, const Batch *b, const Decoded *made, Prediction *out, Node **loss)
{
    Unknown unknown;
    Memory *memory;
    WriterPositions text;
    Written written;
    real *each;
    TRY(find(t->arena, b, made, out->words.target, &unknown));
    if (unknown.n == 0) return OK;
    TRY(begin(n, t, b, made->y, &unknown, &memory));
    TRY(characters(t->arena, batch_role_of(b, ROLE_SPELLING, ROLE_TARGET), &unknown, &text));
    writer_forward(&n->speller, t, &text, memory, &(WriterPass){0}, &written);
    TRY(tape_status(t));
    TRY_NEW(each, t->arena, text.seq.offset[text.seq.n]);
    *loss = op_output_loss(t, written.x, written.w, written.bias, text.output, 0, each);
    TRY(tape_status(t));
    return share(t->arena, &unknown, text.seq, each, out);
}

static Status check(const Batch *b)
{
    const Ragged *source = batch_role(b, ROLE_INPUT), *chars = batch_role_of(b, ROLE_SPELLING, ROLE_INPUT);
    REQUIRE(chars->count[1] == source->count[1], ERR_DATA,
            "model nested: %lld words, but characters of %lld: it takes words, not subwords",
            (long long)source->count[1], (long long)chars->count[1]);
    return OK;
}

static void forward(Model *m, Tape *t, const Batch *b, Prediction *out)
{
    const Nested *n = m->state;
    Generated made;
    Node *spelled = NULL;
    if (t->status == OK) tape_fail(t, check(b));
    if (t->status != OK) return;
    words_forward(&n->words, t, b, out, &made);
    if (t->status == OK) tape_fail(t, spelling_loss(n, t, b, &made.written.made, out, &spelled));
    if (t->status == OK && spelled) out->penalty = out->penalty ? op_add(t, out->penalty, spelled) : spelled;
}

/* --- The unknown words of finished outputs, spelled one character after the other, always the likeliest. --- */

typedef struct Spelling {
    WriterSteps *steps;
    int64_t n, longest;  /* words; most characters of one */
    int64_t *most;       /* (n) */
    int32_t *row, *last; /* (n): 0, 1, ...; the character before */
    int32_t *text;       /* (n, longest) */
    int64_t *length;     /* (n) */
    bool *ended;         /* (n) */
} Spelling;

static Status open_spelling(Spelling *s, const Nested *n, Tape *t, const Memory *m)
{
    Arena *arena = t->arena;
    s->n = m->n;
    TRY_NEW(s->most, arena, s->n);
    for (int64_t i = 0; i < s->n; i++) {
        s->most[i] = 2 * (m->seq.offset[i + 1] - m->seq.offset[i]) + SPARE;
        s->longest = s->most[i] > s->longest ? s->most[i] : s->longest;
    }
    TRY(writer_open(&s->steps, &n->speller, t, m, s->n));
    TRY_NEW(s->row, arena, s->n);
    TRY_NEW(s->last, arena, s->n);
    TRY_NEW(s->text, arena, s->n * s->longest);
    TRY_NEW(s->length, arena, s->n);
    TRY_NEW(s->ended, arena, s->n);
    for (int64_t i = 0; i < s->n; i++) {
        s->row[i] = (int32_t)i;
        s->last[i] = VOCAB_BOS;
    }
    return OK;
}

/* Returns whether any word goes on. */
static Status spell_step(Spelling *s, int64_t V, int64_t number, bool *more)
{
    const GenerateStep step = {
        .rows = s->n, .step = number, .sentence = s->row, .parent = number ? s->row : NULL, .word = s->last};
    GenerateOut out;
    TRY(writer_step(s->steps, &step, &out));
    *more = false;
    for (int64_t i = 0; i < s->n; i++) {
        int64_t best;
        (void)kernels()->log_sum_exp(V, out.logits + i * V, &best);
        s->ended[i] = s->ended[i] || best == VOCAB_EOS || number == s->most[i];
        s->last[i] = (int32_t)best;
        if (s->ended[i]) continue;
        *more = true;
        if (best >= VOCAB_SPECIALS) s->text[i * s->longest + s->length[i]++] = (int32_t)best;
    }
    return OK;
}

/* One after the other, in the order of the outputs. */
static Status hand_out(const Spelling *s, const Unknown *unknown, Arena *arena, GenerateSpelled *out)
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

/* The words are written once more, over themselves: where was looked when the unknown ones were made. */
static Status spell(Model *m, Tape *t, const Batch *b, const GenerateWords *words, GenerateSpelled *out)
{
    const Nested *n = m->state;
    WriterPositions positions;
    Memory memory, *letters;
    Written again;
    Unknown unknown;
    Spelling s = {0};
    *out = (GenerateSpelled){0};
    generator_encode(&n->words, t, b, &memory);
    TRY(tape_status(t));
    TRY(writer_positions(t->arena, b->B, words, &positions));
    writer_forward(&n->words.writer, t, &positions, &memory, &(WriterPass){0}, &again);
    TRY(tape_status(t));
    TRY(find(t->arena, b, &again.made, positions.output, &unknown));
    if (unknown.n == 0) return OK;
    TRY(begin(n, t, b, again.made.y, &unknown, &letters));
    TRY(open_spelling(&s, n, t, letters));
    bool more = true;
    for (int64_t k = 0; more; k++) TRY(spell_step(&s, letters_known(m), k, &more));
    return hand_out(&s, &unknown, t->arena, out);
}

static Status open(Model *m, Tape *t, const Batch *b, int64_t rows, Generation *out)
{
    const Nested *n = m->state;
    return generator_start(&n->words, t, b, rows, out);
}

static const ModelGenerate generate = {.open = open, .step = generator_step, .spell = spell};

static const Moved moved[] = {GENERATOR_MOVED,
                              {"char_dim", "characters.dim"},
                              {"char_hidden", "characters.hidden"},
                              {"char_score", "characters.score"},
                              {0}};

const ModelDef model_nested = {
    .component = {.name = "nested",
                  .help = "Words with attention, and characters nested in them for words outside the vocabulary.",
                  .source = "Ji et al. 2017",
                  ROWS(fields, Settings),
                  .moved = moved},
    .needs = needs,
    .n_needs = COUNT(needs),
    .predicts = PREDICTION_WORDS,
    .build = build,
    .init = init,
    .forward = forward,
    .generate = &generate,
    .tiny =
        "source: {name: parallel, train_source: [sample.en], train_target: [sample.de], valid_source: [sample.en],\n"
        "         valid_target: [sample.de], test_source: [sample.en], test_target: [sample.de], characters: true}\n"
        "pack: {min_count: 2}\n"
        "model: {name: nested, dim: 4, encoder: {hidden: 4}, characters: {dim: 3, hidden: 3}}\n"
        "task: {name: translation}\n",
};
