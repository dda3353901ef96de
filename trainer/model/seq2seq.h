/* seq2seq.h - encoder, decoder and attention: what the parts of the model share. Only for trainer/model/seq2seq*.c. */
#ifndef TRAINER_MODEL_SEQ2SEQ_H
#define TRAINER_MODEL_SEQ2SEQ_H
#include "trainer/layer/bridge.h"
#include "trainer/layer/decoder.h"
#include "trainer/layer/embedding.h"
#include "trainer/layer/readout.h"
#include "trainer/model/model.h"

typedef struct Seq2SeqSettings {
    const char *embedding, *cell, *bridge, *apply, *score, *select, *range, *readout, *tie, *sampling, *sampling_choose;
    int64_t dim, hidden, decoder_hidden, layers, attend, rows, window, maxout;
    bool frozen, bidirectional, reverse_source, input_feeding, straight_through, coverage;
    double embedding_spread, forget_bias, temperature, reinforce, entropy, orthogonality, coverage_loss, guide;
    double dropout_embedding, dropout_layers, dropout_state, dropout_output;
    double temperature_rate, temperature_least, baseline_rate;
    double sampling_rate, sampling_least;
    int64_t sampling_start;
} Seq2SeqSettings;

typedef struct Seq2Seq {
    /* The vectors of the source's words, where they are more than rows of a table; NULL otherwise. */
    Lookup (*words)(const Model *m, Tape *t, const Batch *b);
    Embedding source, target;
    Rnn encoder;
    Bridge bridge;
    Attend *attend; /* NULL with apply none */
    Decoder decoder;
    Readout readout;
    Param *baseline; /* of a selection that learns from rewards; NULL otherwise */
    Param *w, *bias; /* output layer (V,D), (V) */
} Seq2Seq;

const char *seq2seq_tie_name(int i);      /* choices of the rows in seq2seq_rows.h */
NODISCARD Status seq2seq_build(Model *m); /* state: NULL, or a Seq2Seq to be filled */
NODISCARD Status seq2seq_init(Model *m);

/* The source as the decoder sees it. */
typedef struct Seq2SeqSource {
    DecoderStart start;
    const uint64_t *key; /* (B) of the examples' random numbers; NULL when the tape does not train */
} Seq2SeqSource;
void seq2seq_encode(const Model *m, Tape *t, const Batch *b, Seq2SeqSource *out);
/* The loss's part of the batch. made: the decoder's result. */
NODISCARD Status seq2seq_tokens(const Model *m, Tape *t, const Batch *b, const Seq2SeqSource *source, Prediction *out,
                                Node **made);

/* The target's positions: the words of each example and its end. */
typedef struct Seq2SeqTarget {
    Segments seq;
    int32_t *input;  /* (N) the word before each position, VOCAB_BOS at the first */
    int32_t *output; /* (N) the word at each position, VOCAB_EOS at the last */
} Seq2SeqTarget;
/* wanted (N): the source word that becomes the target's word with the fewest edits, its place there; -1: it is new. */
NODISCARD Status seq2seq_guide(Arena *arena, const Batch *b, int32_t **wanted);
/* Of n sequences of words: those before and those at each position. */
NODISCARD Status seq2seq_positions(Arena *arena, int64_t n, const GenerateWords *words, Seq2SeqTarget *out);
NODISCARD Status seq2seq_target(const Model *m, Arena *arena, const Batch *b, Seq2SeqTarget *out);

/* Word by word. */
typedef struct Seq2SeqSteps Seq2SeqSteps;
NODISCARD Status seq2seq_open(Seq2SeqSteps **out, const Model *m, Tape *t, const Seq2SeqSource *source, int64_t rows);
NODISCARD Status seq2seq_step(Seq2SeqSteps *s, const GenerateStep *step, GenerateOut *out);
Status seq2seq_generate_open(Model *m, Tape *t, const Batch *b, int64_t rows, void **state);
Status seq2seq_generate_step(void *state, const GenerateStep *step, GenerateOut *out);
extern const ModelGenerate seq2seq_generate;

/* Scheduled sampling: some of the target's inputs become words of the model's own. */
const char *seq2seq_sampling_name(int i);
const char *seq2seq_choose_name(int i);
NODISCARD Status seq2seq_sampling_check(const Seq2SeqSettings *s);
double seq2seq_teacher_share(const Seq2SeqSettings *s, uint64_t step); /* chance of the teacher's word */
NODISCARD Status seq2seq_sample(const Model *m, Tape *t, const Batch *b, const Seq2SeqSource *source,
                                Seq2SeqTarget *target);

#endif
