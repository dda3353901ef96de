/* heads.h - attention in heads (Vaswani 2017): queries, keys and values are projected, each head attends in its share
 * of the columns, the contexts are joined and projected.
 *
 *   q = x_q W_q + b_q,  k = x_k W_k + b_k,  v = x_v W_v + b_v,  y = [c_1 ; ... ; c_H] W_o + b_o
 *   c_h = attention of q's columns of head h to k's and v's, any score, selection and range of the catalogue
 * What comes from the same rows is projected by one product. */
#ifndef TRAINER_ATTENTION_HEADS_H
#define TRAINER_ATTENTION_HEADS_H
#include "trainer/attention/attend.h"
#include "trainer/op/op.h"

typedef struct HeadsSizes {
    int64_t heads;      /* H */
    int64_t width;      /* E of all heads together: H divides it */
    int64_t query, key; /* widths of the rows that ask and are asked */
    int64_t value;      /* of the rows that give the values; 0: the keys' rows give them */
    int64_t output;     /* width of y */
    int64_t longest;    /* most keys of an example */
    const char *apply;  /* self: the rows that ask are those that are asked; cross: others */
} HeadsSizes;

enum { HEADS_ROWS = 3 }; /* rows of queries, keys, values */

typedef struct Heads {
    HeadsSizes size;
    bool self; /* queries and keys are of the same rows */
    Param *w[HEADS_ROWS],
        *b[HEADS_ROWS];   /* of the rows that are projected by their own product: (D, parts E), NULL: not */
    Param *out_w, *out_b; /* (K E, output) */
    Attend **attend;      /* (H) */
} Heads;

typedef struct HeadsAsk {
    Node *query, *key,
        *value;              /* (M,D_q) (N,D_k) (N,D_v). query NULL: the keys' rows ask (self); value NULL: they give */
    Segments queries, keys;  /* queries are not read with self */
    const uint64_t *row_key; /* (examples), where the selection draws */
    const TapeView *view;    /* what the weights are, for those who look: name, layer, axes; or NULL */
} HeadsAsk;

/* apply: self (query and key are one) or cross. Parameters path/... ERR_CONFIG when the heads do not divide. */
NODISCARD Status heads_build(Heads *h, Params *ps, const AttendSettings *s, HeadsSizes size, const char *path);
/* -> (M, output). *penalty is added to, when there is one; NULL stands for 0. */
Node *heads_forward(const Heads *h, Tape *t, const HeadsAsk *ask, Node **penalty);

#endif
