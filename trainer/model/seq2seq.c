/* seq2seq.c - sequence to sequence with attention (Sutskever 2014, Bahdanau 2015, Luong 2015): a generator, and nothing
 * else. The papers' models are configurations of it: see configs/. */
#include "trainer/model/words.h"

typedef struct Settings {
    GeneratorSettings words;
} Settings;

#define OWNER Settings
static const Field fields[] = {
#include "trainer/generate/generator_rows.h"
};

static const ModelNeed words[] = {{.role = ROLE_INPUT, .levels = 1, .meaning = "words of the source"},
                                  {.role = ROLE_TARGET, .levels = 1, .meaning = "words of the target"}};
static const ModelNeed features[] = {
    {.role = ROLE_FEATURES, .levels = 1, .type = FIELD_FLOATS, .meaning = "rows of numbers"},
    {.role = ROLE_TARGET, .levels = 1, .meaning = "words of the target"}};

static int needs_of(const void *settings, const ModelNeed **needs)
{
    const Settings *s = settings;
    *needs = encoder_reads(s->words.encoder.def) == ENCODER_WORDS ? words : features;
    return COUNT(words);
}

static Status build(Model *m)
{
    const Settings *s = m->settings;
    Generator *g;
    TRY_NEW(g, m->run, 1);
    m->state = g;
    return words_build(m, g, &s->words);
}

static Status init(Model *m) { return words_init(m, m->state); }

static void forward(Model *m, Tape *t, const Batch *b, Prediction *out)
{
    Generated made;
    words_forward(m->state, t, b, out, &made);
}

static Status open(Model *m, Tape *t, const Batch *b, int64_t rows, Generation *out)
{
    return generator_start(m->state, t, b, rows, out);
}

static const ModelGenerate generate = {.open = open, .step = generator_step};

static const Moved moved[] = {GENERATOR_MOVED, {0}};

const ModelDef model_seq2seq = {
    .component = {.name = "seq2seq",
                  .help = "Sequence to sequence: an encoder, a decoder, and attention between them.",
                  .source = "Sutskever et al. 2014, Bahdanau et al. 2015, Luong et al. 2015",
                  ROWS(fields, Settings),
                  .moved = moved},
    .needs_of = needs_of,
    .predicts = PREDICTION_WORDS,
    .build = build,
    .init = init,
    .forward = forward,
    .generate = &generate,
    .tiny = "source: {name: language, train: 24, valid: 6, test: 6, max_words: 8}\n"
            "model: {name: seq2seq, dim: 4, encoder: {hidden: 4}}\n"
            "task: {name: translation}\n",
};
