/* han.c - hierarchical attention networks (Yang, Yang, Dyer, He, Smola, Hovy 2016).
 *
 *   words of a sentence: bi-GRU over embeddings, u = tanh(W h + b), a = softmax(u . context), sentence = sum a h
 *   sentences of a document: the same over the sentences;  logits = W document + b
 * Any score that needs no outside query may stand in for the context vector. */

#include "trainer/attention/pool.h"
#include "trainer/layer/embedding.h"
#include "trainer/layer/linear.h"
#include "trainer/layer/norm.h"
#include "trainer/layer/rnn.h"
#include "trainer/model/document.h"
#include "trainer/model/model.h"

/* Words to a sentence, or sentences to a document. */
typedef struct LevelSettings {
    Chosen cell;
    int64_t hidden, layers; /* of each direction */
    bool bidirectional, layer_norm;
    double dropout, dropout_state, dropout_input;
    PoolSettings attention;
} LevelSettings;

typedef struct Settings {
    EmbeddingKind embedding;
    int64_t dim;
    bool frozen;
    double embedding_spread, dropout_document;
    LevelSettings word, sentence;
} Settings;

#define SHARE .min = 0, .max = 0.95
static const Field level_fields[] = {
    FIELD_PART(LevelSettings, cell, cell_choice, .preset = "gru", .help = "Recurrent cell."),
    FIELD(LevelSettings, hidden, .preset = "50", .min = 1, .max = 8192, .unit = "units",
          .help = "Width of the recurrent state, of each direction."),
    FIELD(LevelSettings, layers, .preset = "1", .min = 1, .max = 16, .help = "Recurrent layers."),
    FIELD(LevelSettings, bidirectional, .preset = "true", .help = "It reads in both directions."),
    FIELD(LevelSettings, dropout, .preset = "0", SHARE, .help = "Share of the states dropped between layers."),
    FIELD(LevelSettings, dropout_state, .preset = "0", SHARE,
          .help = "Share of the recurrent state dropped, the same units all along a sequence."),
    FIELD(LevelSettings, dropout_input, .preset = "0", SHARE,
          .help = "Share of each vector dropped that is read, of a word or a sentence."),
    FIELD(LevelSettings, layer_norm, .preset = "false", .help = "Normalise the states before the attention."),
    FIELD_ROWS(LevelSettings, attention, &pool_rows, .help = "Attention to the states, with a learnt query."),
};

static const Field fields[] = {
    FIELD(Settings, embedding, .preset = "learned", .choice = embedding_kind,
          .help = "Where the vectors of words come from."),
    FIELD(Settings, dim, .preset = "200", .min = 1, .max = 8192, .unit = "units",
          .help = "Width of the embeddings (one_hot: the vocabulary's size instead)."),
    FIELD(Settings, frozen, .preset = "false", .help = "Embeddings stay as they are at the start."),
    FIELD(Settings, embedding_spread, .preset = "0.1", .min = 0, .max = 10,
          .help = "Standard deviation of embeddings that are drawn."),
    FIELD_GROUP(Settings, word, level_fields, .help = "From the words of a sentence to its vector."),
    FIELD_GROUP(Settings, sentence, level_fields, .help = "From the sentences to the document's vector."),
    FIELD(Settings, dropout_document, .preset = "0", SHARE, .help = "Share of the document's vector dropped."),
};

#define BOTH(from, to)                                                                                                 \
    {                                                                                                                  \
        from, "word." to " sentence." to                                                                               \
    }
static const Moved moved[] = {BOTH("cell", "cell"),
                              BOTH("hidden", "hidden"),
                              BOTH("layers", "layers"),
                              BOTH("bidirectional", "bidirectional"),
                              BOTH("layer_norm", "layer_norm"),
                              BOTH("dropout_layers", "dropout"),
                              BOTH("dropout_state", "dropout_state"),
                              {"dropout_words", "word.dropout_input"},
                              {"dropout_sentences", "sentence.dropout_input"},
                              BOTH("attention", "attention"),
                              BOTH("score", "attention.score"),
                              BOTH("attend", "attention.score.width"),
                              BOTH("rows", "attention.score.rows"),
                              BOTH("penalty", "attention.score.orthogonality"),
                              {0}};

static const ModelNeed needs[] = {{.role = ROLE_INPUT, .levels = 2, .meaning = "words of sentences"},
                                  {.role = ROLE_TARGET, .levels = 0, .meaning = "one label"}};

typedef struct Level {
    Rnn rnn;
    Norm norm;
    Pool pool;
} Level;

typedef struct State {
    Embedding embedding;
    Level word, sentence;
    Linear label;
} State;

static RnnSettings rnn_settings(const LevelSettings *s)
{
    return (RnnSettings){.cell = cell_of(&s->cell),
                         .hidden = s->hidden,
                         .layers = s->layers,
                         .bidirectional = s->bidirectional,
                         .dropout = s->dropout,
                         .recurrent_dropout = s->dropout_state};
}

/* path: "word" or "sentence". longest: most rows that are pooled into one. */
static Status add_level(Level *l, Model *m, const LevelSettings *s, const char *path, TapeView view, int64_t input,
                        int64_t longest)
{
    const char *rnn = arena_format(m->run, "%s/%s", path, s->cell.def->name);
    const char *norm = arena_format(m->run, "%s/norm", path), *attention = arena_format(m->run, "%s/attention", path);
    if (!rnn || !norm || !attention) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    TRY(rnn_declare(&l->rnn, m->params, rnn, rnn_settings(s), input));
    const int64_t width = s->hidden * (s->bidirectional ? 2 : 1);
    if (s->layer_norm) TRY(norm_build(&l->norm, m->params, norm, width));
    l->pool = (Pool){.view = view};
    l->pool.view.name = path;
    return pool_build(&l->pool, m->params, &s->attention, width, longest, attention);
}

/* Its score has a parameter for each position. */
static bool placed(const LevelSettings *s)
{
    return ((const ScoreDef *)(const void *)s->attention.score.def)->placed; /* its first member */
}

static Status build(Model *m)
{
    const Settings *s = m->settings;
    State *st;
    TRY_NEW(st, m->run, 1);
    m->state = st;
    if (s->embedding == EMBEDDING_PRETRAINED) m->pretrained = s->dim;
    const EmbeddingOptions embedding = {.kind = s->embedding,
                                        .frozen = s->frozen,
                                        .words = model_words(&m->data, ROLE_INPUT),
                                        .width = s->dim,
                                        .spread = s->embedding_spread};
    const int64_t units = model_field(&m->data, ROLE_INPUT, ROLE_NONE)->longest[0], longest = model_longest(&m->data);
    if (placed(&s->sentence)) m->most_units = units;
    if (placed(&s->word)) m->most_words = longest;
    TRY(embedding_build(&st->embedding, m->params, "word/embedding", &embedding));
    const TapeView words = {.layer = 0, .columns = {AXIS_WORDS, ROLE_INPUT, .by_sentence = true}};
    const TapeView sentences = {.layer = 1, .columns = {.unit = AXIS_SENTENCES, .role = ROLE_INPUT}};
    TRY(add_level(&st->word, m, &s->word, "word", words, st->embedding.width, longest));
    TRY(add_level(&st->sentence, m, &s->sentence, "sentence", sentences, pool_width(&st->word.pool), units));
    return linear_build(&st->label, m->params, "label", pool_width(&st->sentence.pool),
                        model_words(&m->data, ROLE_TARGET));
}

static Status init(Model *m)
{
    const ModelData *data = &m->data;
    State *st = m->state;
    if (!m->pretrained) return OK;
    REQUIRE(data->vectors, ERR_CONFIG, "embedding pretrained: there are no vectors of words");
    REQUIRE(data->vector_width == m->pretrained, ERR_CONFIG,
            "embedding pretrained: dim is %lld, but the vectors have %lld numbers", (long long)m->pretrained,
            (long long)data->vector_width);
    embedding_fill(&st->embedding, data->vectors, data->vector_known);
    return OK;
}

/* x (U, input), position p is row index[p] -> one row a sequence */
static Node *level_forward(const Level *l, Tape *t, Node *x, const int32_t *index, Segments seq, const uint64_t *key,
                           Node **penalty)
{
    Node *h = rnn_forward(&l->rnn, t, x, index, seq, key).states;
    if (l->norm.gain) h = norm_forward(&l->norm, t, h);
    return pool_forward(&l->pool, t, h, seq, key, penalty);
}

static void forward(Model *m, Tape *t, const Batch *b, Prediction *out)
{
    const Settings *s = m->settings;
    const State *st = m->state;
    const Ragged *text = batch_role(b, ROLE_INPUT);
    const Segments words = {text->count[1], text->offset[1]}, sentences = {b->B, text->offset[0]};
    const DocumentKeys key = document_keys(t, b, text);
    if (t->status != OK) return;

    const Lookup lookup = embedding_forward(&st->embedding, t, text->count[2], text->id);
    Node *x = lookup.rows;
    const int32_t *index = lookup.index;
    if (t->train && s->word.dropout_input > 0) { /* each place has a mask of its own: rows cannot be shared */
        x = op_dropout(t, op_gather(t, x, lookup.n, index), s->word.dropout_input, key.word);
        index = NULL;
    }
    Node *sentence = level_forward(&st->word, t, x, index, words, key.sentence, &out->penalty);
    sentence = op_dropout(t, sentence, s->sentence.dropout_input, key.sentence);
    Node *document = level_forward(&st->sentence, t, sentence, NULL, sentences, key.document, &out->penalty);
    document = op_dropout(t, document, s->dropout_document, key.document);
    out->scores = linear_forward(&st->label, t, document);
}

const ModelDef model_han = {
    .component = {.name = "han",
                  .help = "Hierarchical attention network: words make sentences, sentences make a document's label.",
                  .source = "Yang et al. 2016",
                  ROWS(fields, Settings),
                  .moved = moved},
    .needs = needs,
    .n_needs = COUNT(needs),
    .predicts = PREDICTION_CLASSES | PREDICTION_LABELS,
    .build = build,
    .init = init,
    .forward = forward,
    .tiny = "source: {name: reviews, train: 24, valid: 6, test: 6, max_sentences: 4}\n"
            "model: {name: han, dim: 4, word: {hidden: 3}, sentence: {hidden: 3}}\n"
            "task: {name: classification}\n",
};
