/* embedding.h - vectors of words: learnt, pretrained, fixed at random, or one-hot. */
#ifndef TRAINER_LAYER_EMBEDDING_H
#define TRAINER_LAYER_EMBEDDING_H
#include "trainer/op/op.h"

typedef enum EmbeddingKind {
    EMBEDDING_LEARNED,
    EMBEDDING_PRETRAINED,
    EMBEDDING_RANDOM,
    EMBEDDING_ONE_HOT
} EmbeddingKind;

typedef struct EmbeddingOptions {
    EmbeddingKind kind;
    bool frozen; /* learned, pretrained: not trained further */
    int64_t words, width;
    double spread; /* standard deviation of drawn values */
} EmbeddingOptions;

typedef struct Embedding {
    Param *table;         /* (words, width); NULL: one-hot */
    int64_t words, width; /* one-hot: width = words */
} Embedding;

const char *embedding_kind(int i); /* in the order of EmbeddingKind: "learned", ...; NULL after the last */

/* Parameter `path`. ERR_CONFIG when one-hot vectors would be too long. */
NODISCARD Status embedding_build(Embedding *e, Params *ps, const char *path, const EmbeddingOptions *o);
/* Fill the table with vectors (words, width) where known says so (NULL: all); row 0 stays zero. */
void embedding_fill(Embedding *e, const float *vectors, const bool *known);
/* Off the tape: x (n, width) = the rows of the table, which there must be. */
void embedding_copy(const Embedding *e, int64_t n, const int32_t *id, real *x);
/* n rows of the width: those of the table. */
Lookup embedding_rows(const Embedding *e, Tape *t, int64_t n, const int32_t *id);
/* The same, or with index NULL, row i for word i, when the tape wants the gradients of these words. */
Lookup embedding_apart(Tape *t, Lookup l, const int32_t *id);
/* Both. */
Lookup embedding_forward(const Embedding *e, Tape *t, int64_t n, const int32_t *id);

#endif
