/* decoder.h - a recurrent decoder with attention: one node for all steps of all sequences of a batch.
 *
 * apply none: s_t = cell(s_{t-1}, e_t), nothing is looked at. between (Bahdanau 2015): the query is s_{t-1}, the
 * context c_t enters the step beside e_t. after (Luong 2015): the query is s_t, s~_t = tanh(W_c [c_t ; s_t]) is the
 * result and, with input feeding, enters the next step beside e_{t+1}. Cells may be stacked: the query is of the last
 * layer, what enters goes into the first. Work follows the real positions; a sequence's numbers are a function of that
 * sequence alone, bit for bit, and the same when it is made word by word (decoder_open, decoder_step). */
#ifndef TRAINER_LAYER_DECODER_H
#define TRAINER_LAYER_DECODER_H
#include "trainer/attention/attend.h"
#include "trainer/layer/rnn.h"

typedef enum DecoderApply { DECODER_NONE, DECODER_BETWEEN, DECODER_AFTER } DecoderApply;

typedef struct DecoderSettings {
    RnnCell cell;
    int64_t input;  /* E, width of the embeddings */
    int64_t hidden; /* H */
    int64_t layers; /* 1 or more */
    DecoderApply apply;
    bool input_feeding;       /* apply after */
    double dropout;           /* between layers */
    double recurrent_dropout; /* of the state before it is multiplied by U, one mask a sequence and layer */
    double forget_bias;       /* as in rnn.h */
} DecoderSettings;

typedef struct DecoderCell {
    int64_t input; /* columns of what comes from below */
    int64_t extra; /* columns that enter beside it: a context or the result before; 0: none */
    Param *w;      /* (input + extra, G H) */
    Param *u, *b;  /* as in rnn.h */
} DecoderCell;

typedef struct Decoder {
    DecoderSettings settings;
    DecoderCell *cell;    /* (layers) */
    const Attend *attend; /* NULL with apply none */
    int64_t context;      /* C, width of a context; 0 with apply none */
    Param *combine;       /* W_c (C + H, H) with apply after */
} Decoder;

const char *decoder_apply_name(int i); /* the choices in the order of DecoderApply; NULL after the last */

/* Parameters path/layer1/W and so on, path/combine/W. attend: NULL with apply none; borrowed. */
NODISCARD Status decoder_build(Decoder *d, Params *ps, const char *path, const DecoderSettings *s,
                               const Attend *attend);
int64_t decoder_width(const Decoder *d); /* of a row of the result: s_t; [s_t ; c_t] with between; s~_t with after */

/* What is there before the first step. */
typedef struct DecoderStart {
    const RnnLast *layer;    /* (layers) each (n,H) */
    Node *states;            /* (N,n) that are looked at; NULL with apply none */
    Segments keys;           /* rows of states of each sequence */
    double temperature;      /* of selection gumbel at this step of the training; 0: that of its settings */
    const uint64_t *row_key; /* (n) keys of random numbers; NULL when none are drawn */
    const int32_t *wanted;   /* (positions) as in attend.h, with setting guide; NULL: none is told where to look */
} DecoderStart;

typedef struct DecoderOut {
    Node *y;       /* (positions, width), in the order of the positions */
    Node *penalty; /* (1) what the attention adds to the loss; NULL: nothing */
} DecoderOut;

/* x (U,E): position p has the embedding x[index[p]]; index NULL: x[p], U = positions. */
DecoderOut decoder_forward(const Decoder *d, Tape *t, Node *x, const int32_t *index, Segments seq,
                           const DecoderStart *start);

/* What choices earned, for an attention that learns from it (Williams 1992): a choice at position t is followed by the
 * words from t on, so it earns sum_{t' >= t} (log p_t' - baseline); with apply after and without input feeding it has a
 * part in word t alone, and earns log p_t - baseline: the words that follow would be noise. loss (positions): -log p,
 * read in backward. The baseline (1), a moving average, follows log p of a word. y: the result's node. */
void decoder_reward(Node *y, const real *loss, Param *baseline);

/* Word by word, for search and sampling: no gradients, nothing is dropped. */
typedef struct DecoderSteps DecoderSteps;

typedef struct DecoderStep {
    int64_t rows;                  /* at most those announced to open */
    int64_t step;                  /* 0, 1, ... */
    const int32_t *sentence;       /* (rows) sequence of the start whose states a row looks at */
    const int32_t *parent;         /* (rows) row of the step before that it continues; NULL at step 0 */
    const real *const *projection; /* (rows) its input, as decoder_project leaves it */
} DecoderStep;

/* start is borrowed. All memory comes from the tape's arena. */
NODISCARD Status decoder_open(DecoderSteps **out, const Decoder *d, Tape *t, int64_t rows, const DecoderStart *start);
int64_t decoder_projection_width(const DecoderSteps *s);
/* x (n,E) embeddings -> y (n, projection width) */
void decoder_project(const DecoderSteps *s, int64_t n, const real *x, real *y);
/* y (rows, width) */
void decoder_step(DecoderSteps *s, const DecoderStep *step, real *y);
const real *decoder_weights(const DecoderSteps *s, int64_t row); /* (K, keys) of the last step; NULL: no attention */

/* Which key of its sequence got most weight at a position, the first of equal ones, all heads together; -1: there is no
 * key, or no attention. y: the result's node. */
int64_t decoder_looked(const Node *y, int64_t sequence, int64_t position);

/* The weights of the attention, a segment a position: to those who watch the tape. y: the result's node; as: name and
 * axes. */
void decoder_view(const Node *y, Tape *t, const TapeView *as);

#endif
