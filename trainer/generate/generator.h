/* generator.h - everything that writes sequences: what is read, the encoder and the memory it leaves, and the writer
 * that looks at it. Models are made of it: they say what is read, and make of what it leaves a prediction.
 *
 *   vectors of words -> encoder -> memory <- decoder <- vectors of the words before
 *   or features                                 |-> readout -> output layer */
#ifndef TRAINER_GENERATE_GENERATOR_H
#define TRAINER_GENERATE_GENERATOR_H
#include "trainer/generate/decoder/decoder.h"
#include "trainer/generate/encoder/encoder.h"
#include "trainer/generate/sampling.h"

typedef enum GeneratorTie {
    GENERATOR_APART,
    GENERATOR_SOURCE_TARGET,
    GENERATOR_TARGET_OUTPUT,
    GENERATOR_ALL
} GeneratorTie;

typedef struct GeneratorSettings {
    EmbeddingKind embedding;
    int64_t dim;
    bool frozen;
    double embedding_spread;
    GeneratorTie tie;
    Chosen encoder, decoder, readout, sampling;
    AttendSettings attention; /* unless the decoder looks at nothing */
    double guide, dropout_embedding, dropout_output;
} GeneratorSettings;

const char *generator_tie_name(int i); /* choices of the rows in generator_rows.h */

/* Keys that stood elsewhere once. */
#define GENERATOR_MOVED                                                                                                \
    {"cell", "encoder.cell"}, {"hidden", "encoder.hidden"}, {"layers", "encoder.layers"},                              \
        {"bidirectional", "encoder.bidirectional"}, {"reverse_source", "encoder.reverse"},                             \
        {"forget_bias", "encoder.cell.forget_bias"}, {"dropout_layers", "encoder.dropout decoder.dropout"},            \
        {"dropout_state", "encoder.dropout_state decoder.dropout_state"}, {"decoder_hidden", "decoder.hidden"},        \
        {"bridge", "decoder.bridge"}, {"apply", "decoder.apply"}, {"input_feeding", "decoder.apply.input_feeding"},    \
        {"maxout", "readout.width"}, {"sampling_rate", "sampling.rate"}, {"sampling_least", "sampling.least"},         \
        {"sampling_start", "sampling.start"}, {"score", "attention.score"}, {"select", "attention.select"},            \
        {"range", "attention.range"}, {"attend", "attention.score.width"}, {"rows", "attention.score.rows"},           \
        {"orthogonality", "attention.score.orthogonality"}, {"coverage", "attention.score.coverage"},                  \
        {"coverage_loss", "attention.coverage_loss"}, {"window", "attention.range.window"},                            \
        {"temperature", "attention.select.temperature"}, {"temperature_rate", "attention.select.temperature_rate"},    \
        {"temperature_least", "attention.select.temperature_least"},                                                   \
        {"straight_through", "attention.select.straight_through"}, {"reinforce", "attention.select.reinforce"},        \
        {"entropy", "attention.select.entropy"},                                                                       \
    {                                                                                                                  \
        "baseline_rate", "attention.select.baseline_rate"                                                              \
    }

typedef struct GeneratorSizes {
    int64_t source, target; /* words of the vocabularies; source 0: features are read */
    int64_t features;       /* width of the features */
    int64_t longest;        /* most words of a source, or rows of features */
    bool shared;            /* the vocabularies are one */
} GeneratorSizes;

typedef struct Generator Generator;
struct Generator {
    const GeneratorSettings *settings;
    GeneratorSizes size;
    /* The vectors of the source's words, where they are more than rows of a table; NULL otherwise. owner: its own. */
    Lookup (*vectors)(const void *owner, Tape *t, const Batch *b);
    const void *owner;
    Embedding source;
    Encoder encoder;
    Writer writer;
};

/* Declares the parameters; vectors and owner may be there already. ERR_CONFIG for what cannot be together. */
NODISCARD Status generator_build(Generator *g, Params *ps, const GeneratorSettings *s, const GeneratorSizes *size);
int64_t generator_pretrained(const Generator *g); /* width of vectors that it wants to begin with; 0: none */
/* The rows of the source's table that are not drawn. vectors (words, width): NULL when there are none. */
NODISCARD Status generator_init(Generator *g, const float *vectors, const bool *known, int64_t width);

/* What the batch gives to read. A failure marks the tape. */
void generator_encode(const Generator *g, Tape *t, const Batch *b, Memory *out);

typedef struct Generated {
    WriterPositions positions;
    Written written;
} Generated;
/* Over the batch's targets. A failure marks the tape. */
void generator_forward(const Generator *g, Tape *t, const Batch *b, const Memory *m, Generated *out);

/* For search: reads the batch (no target is there). All memory, for all steps, comes from t->arena. */
NODISCARD Status generator_start(const Generator *g, Tape *t, const Batch *b, int64_t rows, Generation *out);
NODISCARD Status generator_step(void *state, const GenerateStep *step, GenerateOut *out);

#endif
