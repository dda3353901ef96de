/* generator.h - everything that writes sequences: what is read, the encoder and the memory it leaves, and the writer
 * that looks at it. Models are made of it: they say what is read, and make of what it leaves a prediction.
 *
 *   vectors of words -> encoder -> memory <- decoder <- vectors of the words before
 *   or features                                 |-> readout -> output layer */
#ifndef TRAINER_GENERATE_GENERATOR_H
#define TRAINER_GENERATE_GENERATOR_H
#include "trainer/generate/decoder/recurrent.h"
#include "trainer/generate/encoder/encoder.h"
#include "trainer/generate/encoder/recurrent.h"
#include "trainer/generate/sampling.h"

typedef struct GeneratorSettings {
    const char *embedding, *cell, *bridge, *apply, *readout, *tie, *sampling, *sampling_choose;
    int64_t dim, hidden, decoder_hidden, layers, maxout;
    bool frozen, bidirectional, reverse_source, input_feeding;
    AttendSettings attention; /* unless apply none */
    double embedding_spread, forget_bias, guide;
    double dropout_embedding, dropout_layers, dropout_state, dropout_output;
    double sampling_rate, sampling_least;
    int64_t sampling_start;
} GeneratorSettings;

extern const Moved generator_moved[];  /* of the keys of these settings */
const char *generator_tie_name(int i); /* choices of the rows in generator_rows.h */

typedef struct GeneratorSizes {
    int64_t source, target; /* words of the vocabularies */
    int64_t longest;        /* most words of a source */
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
    LstmSettings lstm;
    RecurrentEncoderSettings encoding; /* of the encoder, */
    RecurrentSettings decoding;        /* the decoder, */
    SamplingSettings sampling;
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
