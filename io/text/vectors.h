/* vectors.h - pretrained vectors of words, as word2vec and GloVe write them.
 *
 * The file, gzip, xz or plain, is read once from front to end; only the rows of the vocabulary's words are kept. A word is
 * looked for as it is spelled in the vocabulary: a vocabulary in lower case needs vectors of words in lower case. */
#ifndef IO_TEXT_VECTORS_H
#define IO_TEXT_VECTORS_H
#include "io/text/vocab.h"

typedef enum VectorsFormat { VECTORS_GLOVE, VECTORS_WORD2VEC, VECTORS_WORD2VEC_BINARY } VectorsFormat;
const char *vectors_format(int i); /* their names; NULL after the last */

typedef struct Vectors {
    int64_t V, D;  /* words of the vocabulary, numbers of a vector */
    float *row;    /* (V,D), zeros where nothing was found */
    bool *found;   /* (V) */
    int64_t known; /* words found */
    int64_t read;  /* vectors in the file */
} Vectors;

/* D: what the model wants, 0: what the file has. with_mean: <unk> gets the mean of all vectors in the file. Of a word
 * that comes twice the first vector counts. */
NODISCARD Status vectors_read(Vectors *out, Arena *run, const char *path, VectorsFormat format, const Vocab *v,
                              int64_t D, bool with_mean);

#endif
