/* prediction.h - what a model hands out: numbers of one kind.
 *
 * What they cost, which guess they are and what people see of them is the task's (trainer/task); a model knows of no
 * task, and code outside of tasks asks for no kind. Scores are logits: nothing is normalised. */
#ifndef TRAINER_MODEL_PREDICTION_H
#define TRAINER_MODEL_PREDICTION_H
#include "trainer/core/tape.h"

typedef enum PredictionKind {
    PREDICTION_CLASSES = 1,    /* one of the classes an example: scores (B,C) */
    PREDICTION_LABELS = 2,     /* each of them yes or no: scores (B,C) */
    PREDICTION_CANDIDATES = 4, /* one of what the example may have: scores (N), example b has those of seq */
    PREDICTION_TAGS = 8,       /* one at each position: scores (N,K), example b has the positions of seq */
    PREDICTION_WORDS = 16,     /* a sequence of words: see PredictionWords */
    PREDICTION_VALUES = 32,    /* numbers: scores (B,D) */
} PredictionKind;

/* "classes", "labels or tags": kinds is one or several. */
const char *prediction_names(int kinds);

/* A row of features for each position of a sequence, and the layer that makes logits of them. The logits (positions x
 * words) are never there as a whole: op_output_loss makes and uses them piece by piece. Position t of an example is its
 * word t; the last one is the sequence's end. */
typedef struct PredictionWords {
    Node *x;               /* (N,D) */
    Node *w, *bias;        /* (V,D), as a table of embeddings lies; (V) or NULL */
    const int32_t *target; /* (N) the word at each position, VOCAB_EOS at the last of an example */
    const double *more;    /* (N) what a position costs besides, of the penalty: -log p of a spelling; NULL: nothing */
} PredictionWords;

typedef struct Prediction Prediction;

struct Prediction {
    PredictionKind kind;
    Node *scores; /* of all kinds but words */
    Segments seq; /* candidates, tags and words: example b has rows offset[b] .. offset[b + 1] - 1 */
    /* Tags: what it scores to go from tag i to tag j, (K + 2,K): row K from the beginning to tag j, row K + 1 from tag
     * j to the end. The tags of an example are one sequence then; NULL: each position is for itself. */
    Node *transitions;
    PredictionWords words;
    Node *penalty; /* (1) a sum over the examples, to be added to the sum of their losses; NULL: none */
    /* What learns from the loss by itself, not by its gradient; NULL: nothing does. context: the model's own. */
    void (*reward)(Tape *t, void *context, const real *loss);
    void *context;
};

/* To be called when the loss is made, before the walk back: loss (rows of seq) -log p of each, kept until then. */
void prediction_reward(const Prediction *p, Tape *t, const real *loss);

#endif
