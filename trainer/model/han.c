/* han.c - hierarchical attention networks (Yang, Yang, Dyer, He, Smola, Hovy 2016).
 *
 *   words of a sentence: bi-GRU over embeddings, u = tanh(W h + b), a = softmax(u . context), sentence = sum a h
 *   sentences of a document: the same over the sentences;  logits = W document + b
 * Any score that needs no outside query may stand in for the context vector. */
#include <string.h>

#include "trainer/attention/pool.h"
#include "trainer/layer/embedding.h"
#include "trainer/layer/linear.h"
#include "trainer/layer/norm.h"
#include "trainer/layer/rnn.h"
#include "trainer/model/document.h"
#include "trainer/model/model.h"

typedef struct Settings {
    int64_t dim, hidden, layers;
    const char *embedding, *cell;
    bool frozen, bidirectional, layer_norm;
    double embedding_spread;
    PoolSettings attention;
    double dropout_words, dropout_sentences, dropout_document, dropout_layers, dropout_state;
} Settings;

static const Field fields[] = {
    FIELD(Settings, embedding, .preset = "learned", .choice = embedding_kind,
          .help = "Where the vectors of words come from."),
    FIELD(Settings, dim, .preset = "200", .min = 1, .max = 8192, .unit = "units",
          .help = "Width of the embeddings (one_hot: the vocabulary's size instead)."),
    FIELD(Settings, frozen, .preset = "false", .help = "Embeddings stay as they are at the start."),
    FIELD(Settings, embedding_spread, .preset = "0.1", .min = 0, .max = 10,
          .help = "Standard deviation of embeddings that are drawn."),
    FIELD(Settings, cell, .preset = "gru", .choice = cell_name, .help = "Recurrent cell of both levels."),
    FIELD(Settings, hidden, .preset = "50", .min = 1, .max = 8192, .unit = "units",
          .help = "Width of the recurrent state, of each direction."),
    FIELD(Settings, layers, .preset = "1", .min = 1, .max = 16, .help = "Recurrent layers of each level."),
    FIELD(Settings, bidirectional, .preset = "true", .help = "Read in both directions."),
    FIELD_ROWS(Settings, attention, &pool_rows, .help = "Attention of both levels, with a learnt query."),
    FIELD(Settings, layer_norm, .preset = "false", .help = "Normalise the states before the attention."),
    FIELD(Settings, dropout_words, .preset = "0", .min = 0, .max = 0.95,
          .help = "Share of each word's vector dropped."),
    FIELD(Settings, dropout_sentences, .preset = "0", .min = 0, .max = 0.95,
          .help = "Share of each sentence's vector dropped."),
    FIELD(Settings, dropout_document, .preset = "0", .min = 0, .max = 0.95,
          .help = "Share of the document's vector dropped."),
    FIELD(Settings, dropout_layers, .preset = "0", .min = 0, .max = 0.95,
          .help = "Share of the states dropped between recurrent layers."),
    FIELD(Settings, dropout_state, .preset = "0", .min = 0, .max = 0.95,
          .help = "Share of the recurrent state dropped, the same units all along a sequence."),
};

static const ModelNeed needs[] = {{.role = ROLE_INPUT, .levels = 2, .meaning = "words of sentences"},
                                  {.role = ROLE_TARGET, .levels = 0, .meaning = "one label"}};

/* Words to a sentence, or sentences to a document. */
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

static RnnSettings rnn_settings(const Settings *s)
{
    return (RnnSettings){.cell = {.def = cell_find(s->cell)},
                         .hidden = s->hidden,
                         .layers = s->layers,
                         .bidirectional = s->bidirectional,
                         .dropout = s->dropout_layers,
                         .recurrent_dropout = s->dropout_state};
}

/* path: "word" or "sentence". longest: most rows that are pooled into one. */
static Status add_level(Level *l, Model *m, const char *path, TapeView view, int64_t input, int64_t longest)
{
    const Settings *s = m->settings;
    const char *rnn = arena_format(m->run, "%s/%s", path, s->cell), *norm = arena_format(m->run, "%s/norm", path);
    const char *attention = arena_format(m->run, "%s/attention", path);
    if (!rnn || !norm || !attention) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    TRY(rnn_declare(&l->rnn, m->params, rnn, rnn_settings(s), input));
    const int64_t width = s->hidden * (s->bidirectional ? 2 : 1);
    if (s->layer_norm) TRY(norm_build(&l->norm, m->params, norm, width));
    l->pool = (Pool){.view = view};
    l->pool.view.name = path;
    return pool_build(&l->pool, m->params, &s->attention, width, longest, attention);
}

static Status build(Model *m)
{
    const Settings *s = m->settings;
    State *st;
    TRY_NEW(st, m->run, 1);
    m->state = st;
    if (strcmp(s->embedding, "pretrained") == 0) m->pretrained = s->dim;
    const EmbeddingOptions embedding = {.kind = s->embedding,
                                        .frozen = s->frozen,
                                        .words = model_words(&m->data, ROLE_INPUT),
                                        .width = s->dim,
                                        .spread = s->embedding_spread};
    if (((const ScoreDef *)s->attention.score.def)->placed) {
        m->most_units = model_field(&m->data, ROLE_INPUT, ROLE_NONE)->longest[0];
        m->most_words = model_longest(&m->data);
    }
    TRY(embedding_build(&st->embedding, m->params, "word/embedding", &embedding));
    const TapeView words = {.layer = 0, .columns = {AXIS_WORDS, ROLE_INPUT, .by_sentence = true}};
    const TapeView sentences = {.layer = 1, .columns = {AXIS_SENTENCES, ROLE_INPUT}};
    TRY(add_level(&st->word, m, "word", words, st->embedding.width, model_longest(&m->data)));
    TRY(add_level(&st->sentence, m, "sentence", sentences, pool_width(&st->word.pool),
                  model_field(&m->data, ROLE_INPUT, ROLE_NONE)->longest[0]));
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
    if (t->train && s->dropout_words > 0) { /* each place has a mask of its own: rows cannot be shared */
        x = op_dropout(t, op_gather(t, x, lookup.n, index), s->dropout_words, key.word);
        index = NULL;
    }
    Node *sentence = level_forward(&st->word, t, x, index, words, key.sentence, &out->penalty);
    sentence = op_dropout(t, sentence, s->dropout_sentences, key.sentence);
    Node *document = level_forward(&st->sentence, t, sentence, NULL, sentences, key.document, &out->penalty);
    document = op_dropout(t, document, s->dropout_document, key.document);
    out->scores = linear_forward(&st->label, t, document);
}

const ModelDef model_han = {
    .component = {.name = "han",
                  .help = "Hierarchical attention network: words make sentences, sentences make a document's label.",
                  .source = "Yang et al. 2016",
                  ROWS(fields, Settings),
                  .moved = (const Moved[]){{"score", "attention.score"},
                                           {"attend", "attention.score.width"},
                                           {"rows", "attention.score.rows"},
                                           {"penalty", "attention.score.orthogonality"},
                                           {0}}},
    .needs = needs,
    .n_needs = COUNT(needs),
    .predicts = PREDICTION_CLASSES | PREDICTION_LABELS,
    .build = build,
    .init = init,
    .forward = forward,
    .tiny = "source: {name: reviews, train: 24, valid: 6, test: 6, max_sentences: 4}\n"
            "model: {name: han, dim: 4, hidden: 3}\n"
            "task: {name: classification}\n",
};
