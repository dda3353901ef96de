/* decoder.h - decoders: from the words before to the features of each position of an output, looking at a memory.
 *
 * A decoder is one file and one line in the table of decoder.c. In training it goes over whole sequences; in search and
 * sampling position by position, where each row continues a row of the position before: both give the same bits. Work
 * follows the real positions; a sequence's numbers are a function of that sequence and its memory alone. Nothing here
 * says how a decoder remembers: a recurrent one keeps a state a row, another one may keep keys and values of all
 * positions, which the rows that stem from them share. */
#ifndef TRAINER_GENERATE_DECODER_DECODER_H
#define TRAINER_GENERATE_DECODER_DECODER_H
#include "io/config/schema.h"
#include "trainer/attention/attend.h"
#include "trainer/generate/memory.h"

typedef struct DecoderDef DecoderDef;

/* How it looks at the memory. */
typedef struct DecoderLook {
    AttendSettings attend;
    double guide; /* as in AttendUse */
} DecoderLook;

typedef struct Decoder {
    const DecoderDef *def;
    const void *settings; /* the component's struct */
    DecoderLook look;
    MemoryShape memory;
    int64_t input;      /* E: width of the vectors of words */
    int64_t width;      /* of a row of the result, as build leaves it */
    int64_t projection; /* of what is kept of a word's vector for later steps, as build leaves it */
    int64_t heads;      /* K: rows of weights over the memory that a position has; 0: it looks at nothing */
    int64_t most;       /* states that a memory may have, where each place has parameters; 0: any number */
    bool rewards;       /* it draws where it looks, and learns from what that earned: decoder_reward */
    void *own;
} Decoder;

/* Where its parameters stand. */
typedef struct DecoderPaths {
    const char *join, *attention, *decoder;
} DecoderPaths;

/* The positions of all sequences. */
typedef struct DecoderInput {
    Node *x;              /* (U,E) vectors: position p has x[index[p]]; index NULL: x[p], U = positions */
    const int32_t *index; /* borrowed until the tape ends, as seq is */
    Segments seq;
    const int32_t *wanted; /* (positions) row of its memory where it should look, -1: nowhere; NULL: none is told */
} DecoderInput;

/* What a pass over whole sequences leaves. */
typedef struct Decoded {
    const Decoder *decoder;
    Node *y;       /* (positions, width), in the order of the positions */
    Node *penalty; /* (1) what the attention adds to the loss; NULL: nothing */
    Segments seq;  /* of the positions */
    Segments keys; /* of the memory */
    void *run;     /* the decoder's own */
} Decoded;

typedef struct DecoderStep {
    int64_t rows;                  /* at most those announced to open */
    int64_t step;                  /* 0, 1, ... */
    const int32_t *sentence;       /* (rows) example whose memory a row looks at */
    const int32_t *parent;         /* (rows) row of the step before that it continues; NULL at step 0 */
    const real *const *projection; /* (rows) its input, as decoder_project leaves it */
} DecoderStep;

typedef struct DecoderSteps {
    const Decoder *decoder;
    void *run; /* the decoder's own */
} DecoderSteps;

struct DecoderDef {
    Component component; /* first: the family's table is one of components */
    /* Parameters that join it to a memory: before the tables of the words, as they are used. */
    Status (*join)(Decoder *d, Params *ps, const DecoderPaths *path);
    Status (*build)(Decoder *d, Params *ps, const DecoderPaths *path, int64_t words);
    /* Fills y, penalty and run of *out. */
    Status (*forward)(const Decoder *d, Tape *t, const DecoderInput *in, const Memory *m, Decoded *out);
    const real *(*weights)(const void *run, int64_t position); /* (K, keys of its example); NULL: heads is 0 */
    void (*reward)(void *run, const real *loss);               /* NULL: it never draws */
    Status (*open)(const Decoder *d, Tape *t, int64_t rows, const Memory *m, void **run);
    void (*project)(const void *run, int64_t n, const real *x, real *y);
    void (*step)(void *run, const DecoderStep *step, real *y);
    const real *(*row_weights)(const void *run, int64_t row); /* NULL: heads is 0 */
};

const Component *decoder_choice(int i); /* the family: NULL after the last */

/* Declares the parameters in two parts, with those of the words it writes between them. ERR_CONFIG with the reason when
 * settings and memory do not go together. words: size of the vocabulary. */
NODISCARD Status decoder_join(Decoder *d, Params *ps, Chosen chosen, const DecoderLook *look, const MemoryShape *memory,
                              const DecoderPaths *path);
NODISCARD Status decoder_build(Decoder *d, Params *ps, const DecoderPaths *path, int64_t input, int64_t words);

/* m is borrowed until the tape ends. A failure marks the tape; y is a node all the same. */
Decoded decoder_forward(const Decoder *d, Tape *t, const DecoderInput *in, const Memory *m);

/* What choices of where to look earned (Williams 1992). loss (positions): -log p, read in backward. */
void decoder_reward(const Decoded *made, const real *loss);
/* Which key of its sequence got most weight at a position, the first of equal ones, all heads together; -1: none got
 * any, or there is no attention. */
int64_t decoder_looked(const Decoded *made, int64_t sequence, int64_t position);
/* The weights of the attention, a segment a position: to those who watch the tape. as: name and axes. */
void decoder_view(const Decoded *made, Tape *t, const TapeView *as);

/* Word by word: no gradients, nothing is dropped. m is borrowed. All memory comes from the tape's arena. */
NODISCARD Status decoder_open(DecoderSteps *out, const Decoder *d, Tape *t, int64_t rows, const Memory *m);
void decoder_project(const DecoderSteps *s, int64_t n, const real *x, real *y); /* (n,E) -> (n, projection) */
void decoder_step(const DecoderSteps *s, const DecoderStep *step, real *y);     /* y (rows, width) */
const real *decoder_weights(const DecoderSteps *s, int64_t row); /* (K, keys) of the last step; NULL: no attention */

#endif
