/* generate.h - a model that makes a sequence, one position of many hypotheses at a time: for search and sampling.
 *
 * A row is a hypothesis: the words that one example's output has so far. Each row's numbers are a function of its own
 * words and its example alone, bit for bit, whatever rows stand beside it. Nothing here knows beams. */
#ifndef TRAINER_MODEL_GENERATE_H
#define TRAINER_MODEL_GENERATE_H
#include "trainer/core/tape.h"

typedef struct Model Model;
typedef struct Batch Batch;

typedef struct GenerateStep {
    int64_t rows;            /* at most those announced to open */
    int64_t step;            /* 0, 1, ...: the position of the output that comes next */
    const int32_t *sentence; /* (rows) example of the batch */
    const int32_t *parent;   /* (rows) row of the step before whose state this one takes; NULL at step 0 */
    const int32_t *word;     /* (rows) the word at position step - 1; VOCAB_BOS at step 0 */
} GenerateStep;

typedef struct GenerateOut {
    real *logits;              /* (rows, V): the caller may write over them; valid until the next step */
    const real *const *weight; /* (rows) each (length of the example's source): where the step looked, the mean over
                                  layers and heads; NULL: the model has no attention */
} GenerateOut;

typedef struct GenerateWords { /* an output, without its end */
    int64_t n;
    const int32_t *id;
} GenerateWords;

/* Unknown words as characters. */
typedef struct GenerateSpelled {
    int64_t n;
    const int32_t *example, *word; /* (n) which one: of which example's output, and its place there; ascending */
    const int64_t *offset;         /* (n + 1) into id */
    int32_t *id;                   /* of the vocabulary `characters` */
} GenerateSpelled;

typedef struct ModelGenerate {
    /* Reads the batch's source fields (no target is there). All memory, for all steps, comes from t->arena. */
    Status (*open)(Model *m, Tape *t, const Batch *b, int64_t rows, void **state);
    Status (*step)(void *state, const GenerateStep *s, GenerateOut *out);
    /* The unknown words in finished outputs (B) of the same batch, as far as it can say; NULL: it spells none. */
    Status (*spell)(Model *m, Tape *t, const Batch *b, const GenerateWords *words, GenerateSpelled *out);
} ModelGenerate;

#endif
