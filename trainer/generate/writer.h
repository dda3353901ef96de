/* writer.h - what writes: vectors of the words before, a decoder, a readout, and the output layer over the vocabulary.
 * Words of a sentence are written by one, characters of a word by another. */
#ifndef TRAINER_GENERATE_WRITER_H
#define TRAINER_GENERATE_WRITER_H
#include "trainer/generate/decoder/decoder.h"
#include "trainer/generate/generate.h"
#include "trainer/generate/readout.h"
#include "trainer/layer/embedding.h"

typedef struct Writer {
    Embedding words; /* of the words before: a table of its own, or another's */
    Decoder decoder;
    Readout readout;
    Param *w, *bias; /* output layer (V,D), (V) */
} Writer;

/* The decoder is joined to its memory, and `words` has its width. Parameters of the decoder at path, readout/..., */
NODISCARD Status writer_build(Writer *w, Params *ps, const DecoderPaths *path, const char *readout_path, Chosen readout,
                              int64_t words);
/* then of the output layer, path/W and path/b. tied: its W is the table of the words before too, drawn with spread. */
NODISCARD Status writer_build_output(Writer *w, Params *ps, const char *path, int64_t words, bool tied, double spread);

/* The positions of n outputs: the words of each and its end. */
typedef struct WriterPositions {
    Segments seq;
    int32_t *input;  /* (N) the word before each position, VOCAB_BOS at the first */
    int32_t *output; /* (N) the word at each position, VOCAB_EOS at the last */
} WriterPositions;
NODISCARD Status writer_positions(Arena *arena, int64_t n, const GenerateWords *words, WriterPositions *out);

/* Over whole outputs. */
typedef struct WriterPass {
    double dropout_embedding, dropout_output; /* in training */
    const int32_t *wanted;                    /* (N) as in decoder.h */
} WriterPass;

typedef struct Written {
    Decoded made;   /* by the decoder */
    Node *x;        /* (N,D) features of each position, */
    Node *w, *bias; /* and the layer that makes logits of them: op_output_loss */
} Written;
/* positions and m are borrowed until the tape ends. A failure marks the tape. */
void writer_forward(const Writer *w, Tape *t, const WriterPositions *positions, const Memory *m, const WriterPass *pass,
                    Written *out);

/* Word by word, the bits of a pass that does not train. */
typedef struct WriterSteps WriterSteps;
NODISCARD Status writer_open(WriterSteps **out, const Writer *w, Tape *t, const Memory *m, int64_t rows);
NODISCARD Status writer_step(WriterSteps *s, const GenerateStep *step, GenerateOut *out);

#endif
