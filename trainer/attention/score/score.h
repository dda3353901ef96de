/* score.h - the family of attention scores: how much a key is wanted by a query.
 *
 * It has two forms. Pooled: the query is learnt, one for all keys (the context vector of Yang 2016), so a score is a
 * function of the keys: (N,D) -> (N,K), K = 1 but for multi_dim. Step by step: queries come from outside, as a
 * decoder's do (steps.h). A score is one file, which holds both forms, and one line in the table of score.c. */
#ifndef TRAINER_ATTENTION_SCORE_SCORE_H
#define TRAINER_ATTENTION_SCORE_SCORE_H
#include "trainer/op/op.h"

typedef struct Score Score;

typedef struct ScoreSteps ScoreSteps; /* steps.h */

typedef struct ScoreSizes {
    int64_t width;   /* D of the keys */
    int64_t query;   /* width of queries that come from outside; not used by the pooled form */
    int64_t attend;  /* A, of the hidden layer (or of the learnt query) where the score has one */
    int64_t rows;    /* K of multi_dim */
    int64_t longest; /* most keys of a segment; for location */
    bool coverage;   /* step by step: what a key got before is part of its score */
} ScoreSizes;

typedef struct ScoreDef {
    const char *name, *help, *source;
    Status (*build)(Score *s, Params *ps);
    Node *(*forward)(const Score *s, Tape *t, Node *h, Segments keys);
    /* When the score is v . tanh(h w + b): the parts, for the fused pooling. NULL otherwise. */
    void (*additive)(const Score *s, Tape *t, Node **w, Node **b, Node **v);
    bool many;               /* K = sizes.rows instead of 1 */
    double most_apart;       /* two scores differ by no more than this; 0: by anything */
    const ScoreSteps *steps; /* for queries from outside */
} ScoreDef;

enum { SCORE_PARAMS = 6 };

struct Score {
    const ScoreDef *def;
    ScoreSizes size;
    Arena *arena;     /* where names are kept */
    const char *path; /* before the names of its parameters */
    Param *p[SCORE_PARAMS];
};

const char *score_name(int i);                /* the family: NULL after the last */
const ScoreDef *score_find(const char *name); /* NULL when there is none */

NODISCARD Status score_build(Score *s, Params *ps, const ScoreDef *def, ScoreSizes size, const char *path);
/* h (N,D) -> (N,K) */
Node *score_forward(const Score *s, Tape *t, Node *h, Segments keys);
int64_t score_columns(const Score *s); /* K */

/* For the files of scores: parameter number i, called path/name. */
NODISCARD Status score_param(Score *s, Params *ps, int i, const char *name, const char *meaning, Shape shape,
                             ParamInit init, double scale);
static inline Node *score_node(const Score *s, Tape *t, int i) { return tape_param(t, s->p[i]); }

#endif
