/* steps.h - scores of queries that come from outside step by step, as a decoder's do, over the keys of their example.
 *
 * A run lives for one batch: open prepares the keys once (projections, packed weights), forward and backward work on
 * the rows of a step, finish makes what could wait as large products: the gradients of keys and parameters. All memory
 * of the steps is taken by open. A row's scores are a function of its query and its example's keys alone, bit for bit.
 */
#ifndef TRAINER_ATTENTION_SCORE_STEPS_H
#define TRAINER_ATTENTION_SCORE_STEPS_H
#include "trainer/attention/score/score.h"
#include "trainer/core/panel.h"

/* The records of slot i have K rows of as many numbers as its example has keys, from (i * K * longest) on. */
typedef struct ScoreRun {
    const Score *score;
    Arena *arena;
    const real *key; /* (N,D) */
    Segments keys;
    int64_t slots, longest; /* longest: most keys of an example of this batch */
    bool backward;          /* records are kept */
    int32_t *sentence;      /* (slots) example of the slot's query; -1: not used so far */
    real *e;                /* (slots, K, longest) the scores; undefined outside the window */
    real *de;               /* the same: their gradients, 0 outside the window; NULL unless backward */
    real *query;            /* (slots, query); NULL unless backward */
    void *own;              /* the score's */
} ScoreRun;

typedef struct ScoreStep {
    int64_t rows, slot;       /* rows have the records slot, slot + 1, ... */
    const int32_t *sentence;  /* (rows) */
    const int64_t *first, *n; /* (rows) window: keys first .. first + n - 1 of the example */
    const real *query;        /* (rows, query) */
    int64_t ld_query;         /* between rows, of d_query too */
    real *const *coverage;    /* (rows) each (keys of its example), as it was before this step; NULL: none */
    real *const *d_coverage;  /* backward: += */
    real *d_query;            /* backward: += */
} ScoreStep;

struct ScoreSteps {
    bool hidden; /* a hidden layer, which coverage can enter */
    Status (*build)(Score *s, Params *ps);
    Status (*open)(ScoreRun *r);
    void (*forward)(ScoreRun *r, const ScoreStep *s);  /* fills r->e in the windows */
    void (*backward)(ScoreRun *r, const ScoreStep *s); /* reads r->de; may change it, for finish */
    Status (*finish)(ScoreRun *r, real *d_key);        /* d_key (N,D) += */
};

/* Parameters of the form for outer queries. ERR_CONFIG when sizes do not go together. */
NODISCARD Status score_build_steps(Score *s, Params *ps, const ScoreDef *def, ScoreSizes size, const char *path);
/* r->key, keys, slots, backward and arena are given; the rest is filled. */
NODISCARD Status score_open(ScoreRun *r, const Score *s);
void score_step(ScoreRun *r, const ScoreStep *s);
void score_step_backward(ScoreRun *r, const ScoreStep *s);
NODISCARD Status score_finish(ScoreRun *r, real *d_key);

static inline int64_t score_record(const ScoreRun *r, int64_t slot)
{
    return slot * (r->score->def->many ? r->score->size.rows : 1) * r->longest;
}

/* --- For the files of scores. --- */

NODISCARD Status score_same_widths(const Score *s); /* of keys and query, or ERR_CONFIG with both */
/* 1 / sqrt(D), by which a product s^T W h_j of a learnt matrix is multiplied. Adam moves every weight by about its
 * rate, so all weights together move the score of a pair by rate sum_ic |s_i| |h_c|, which grows with both widths: at
 * 256 units and a rate of 0.002 by several nats a step, and the softmax is saturated before anything is learnt. */
real score_bilinear(const Score *s);
/* Parameter number i, the vector c of coverage, where coverage is on. */
NODISCARD Status score_coverage_param(Score *s, Params *ps, int i);

/* Scores that are products: e_kj = scale q_k . key_j. key (N,width), q (rows, K width) of the step's rows. */
void score_products(const ScoreRun *r, const ScoreStep *s, real scale, const real *key, int64_t width, const real *q,
                    int64_t ld_q);
/* dq_k += scale sum_j de_kj key_j */
void score_products_backward(const ScoreRun *r, const ScoreStep *s, real scale, const real *key, int64_t width,
                             real *dq, int64_t ld_dq);
/* out_j (N,width) += scale sum over slots and k of record_kj x_k: the gradient of keys or values, example by example as
 * one product. x (slots, K width) */
NODISCARD Status score_gather(const ScoreRun *r, real scale, const real *record, const real *x, int64_t width,
                              real *out);
/* Rows of slots that were never used to 0, before a product over all slots. */
void score_clear_unused(const ScoreRun *r, real *x, int64_t width);

/* Scores with a hidden layer: t_j = tanh(q W + b + key_j U + coverage_j c), e_j = v . t_j. */
typedef struct ScoreHidden {
    const real *w, *u, *b, *v, *c; /* (query,A) (D,A) (A) (A) (A); b and c may be NULL */
    real *dw, *du, *db, *dv, *dc;  /* where their gradients go */
    Panel ask, back;               /* W packed, and transposed */
    real *keys, *d_keys;           /* (N,A) key U */
    real *q, *dq;                  /* (slots,A) q W + b */
} ScoreHidden;

/* w, u, b, v and their gradients are given; coverage: the parameter c, or NULL. */
NODISCARD Status score_hidden_open(ScoreRun *r, ScoreHidden *h, const Param *coverage);
void score_hidden_step(const ScoreRun *r, const ScoreStep *s, const ScoreHidden *h);
void score_hidden_backward(const ScoreRun *r, const ScoreStep *s, const ScoreHidden *h);
NODISCARD Status score_hidden_finish(const ScoreRun *r, const ScoreHidden *h, real *d_key);

#endif
