/* generate.h - outputs that are made one position of many hypotheses at a time: for search and sampling.
 *
 * A row is a hypothesis: the words that one example's output has so far. Each row's numbers are a function of its own
 * words and its example alone, bit for bit, whatever rows stand beside it. Nothing here knows beams. */
#ifndef TRAINER_GENERATE_GENERATE_H
#define TRAINER_GENERATE_GENERATE_H
#include "trainer/core/tape.h"

typedef struct GenerateWords { /* an output, without its end */
    int64_t n;
    const int32_t *id;
} GenerateWords;

typedef struct GenerateStep {
    int64_t rows;            /* at most those announced */
    int64_t step;            /* 0, 1, ...: the position of the output that comes next */
    const int32_t *sentence; /* (rows) example of the batch */
    const int32_t *parent;   /* (rows) row of the step before whose state this one takes; NULL at step 0 */
    const int32_t *word;     /* (rows) the word at position step - 1; VOCAB_BOS at step 0 */
} GenerateStep;

typedef struct GenerateOut {
    real *logits;              /* (rows, V): the caller may write over them; valid until the next step */
    const real *const *weight; /* (rows) each (length of the example's memory): where the step looked, the mean over
                                  layers and heads; NULL: the model has no attention */
} GenerateOut;

/* A batch whose outputs are made. */
typedef struct Generation {
    void *state;     /* the model's own */
    Segments memory; /* of each example: what a weight is over. Its length is that of what the model reads */
} Generation;

/* Unknown words as characters. */
typedef struct GenerateSpelled {
    int64_t n;
    const int32_t *example, *word; /* (n) which one: of which example's output, and its place there; ascending */
    const int64_t *offset;         /* (n + 1) into id */
    int32_t *id;                   /* of the vocabulary of characters */
} GenerateSpelled;

#endif
