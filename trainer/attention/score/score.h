/* score.h - the family of attention scores: how much a key is wanted by a query.
 *
 * A score works on a block of queries over the keys of their examples: one for each living sequence, as a decoder asks
 * step by step, all queries of all sequences at once, or one learnt query for every sequence (pooling). A run lives for
 * one batch: open prepares the keys once (projections, packed weights), forward and backward work on the rows of a
 * block, finish makes what could wait as large products: the gradients of keys and parameters. All memory of the blocks
 * is taken by open. A row's scores are a function of its query and its example's keys alone, bit for bit.
 *
 * A score is one file and one line in the table of score.c. */
#ifndef TRAINER_ATTENTION_SCORE_SCORE_H
#define TRAINER_ATTENTION_SCORE_SCORE_H
#include "io/config/schema.h"
#include "trainer/core/panel.h"
#include "trainer/core/tape.h"

typedef struct ScoreSizes {
    int64_t width;   /* D of the keys */
    int64_t query;   /* m of the queries */
    int64_t longest; /* most keys of an example; for location */
    bool learnt;     /* the query is a parameter, one for all keys (the context vector of Yang 2016) */
} ScoreSizes;

typedef struct ScoreDef ScoreDef;

/* Of a score with a hidden layer, first in its settings. */
typedef struct HiddenSettings {
    int64_t width; /* A; 0: that of the keys */
    bool coverage; /* what a key got before is part of its score (Tu 2016) */
} HiddenSettings;

/* Of a score that gives a key several numbers. */
typedef struct ManySettings {
    int64_t rows;         /* K */
    double orthogonality; /* weight of ||A A^T - I||_F^2 of each query's weights A (K, keys) (Lin 2017) */
    bool scaled;          /* SCORE_SCALED */
} ManySettings;

enum { SCORE_PARAMS = 6 };

typedef struct Score {
    const ScoreDef *def;
    const void *settings; /* what its rows fill */
    ScoreSizes size;
    int64_t hidden;   /* A, or 0 */
    int64_t columns;  /* K */
    bool scaled;      /* of score_bilinear_param */
    Arena *arena;     /* where names are kept */
    const char *path; /* before the names of its parameters */
    Param *p[SCORE_PARAMS];
} Score;

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

typedef struct ScoreBlock {
    int64_t rows, slot;       /* rows have the records slot, slot + 1, ... */
    const int32_t *sentence;  /* (rows) */
    const int64_t *first, *n; /* (rows) window: keys first .. first + n - 1 of the example */
    const real *query;        /* (rows, query) */
    int64_t ld_query;         /* between rows, of d_query too; 0: all rows have one query */
    real *const *coverage;    /* (rows) each (keys of its example), as it was before this block; NULL: none */
    real *const *d_coverage;  /* backward: += */
    real *d_query;            /* backward: += */
} ScoreBlock;

/* How the score's query is learnt where it is a parameter. */
typedef struct ScoreLearnt {
    const char *name; /* NULL: none is needed, and the query has no units */
    double scale;     /* standard deviation at the start */
} ScoreLearnt;

struct ScoreDef {
    Component component;
    ScoreLearnt learnt;
    bool many;         /* K numbers a key: its settings begin with ManySettings */
    bool hidden;       /* a hidden layer, which coverage can enter: its settings begin with HiddenSettings */
    bool placed;       /* each position has parameters: no example may have more keys than sizes.longest */
    double most_apart; /* two scores differ by no more than this; 0: by anything */
    Status (*build)(Score *s, Params *ps);
    Status (*open)(ScoreRun *r);                        /* NULL: nothing is prepared */
    void (*forward)(ScoreRun *r, const ScoreBlock *b);  /* fills r->e in the windows */
    void (*backward)(ScoreRun *r, const ScoreBlock *b); /* reads r->de; may change it, for finish */
    Status (*finish)(ScoreRun *r, real *d_key);         /* d_key (N,D) += */
};

const Component *score_choice(int i); /* the family: NULL after the last */
const char *score_name(int i);
const ScoreDef *score_find(const char *name); /* NULL when there is none */

/* Parameters path/... ERR_CONFIG when sizes do not go together. */
NODISCARD Status score_build(Score *s, Params *ps, const Chosen *score, ScoreSizes size, const char *path);
const ManySettings *score_many(const Chosen *score);     /* NULL: one number a key */
const HiddenSettings *score_hidden(const Chosen *score); /* NULL: no hidden layer */
/* r->key, keys, slots, backward and arena are given; the rest is filled. */
NODISCARD Status score_open(ScoreRun *r, const Score *s);
void score_forward(ScoreRun *r, const ScoreBlock *b);
void score_backward(ScoreRun *r, const ScoreBlock *b);
NODISCARD Status score_finish(ScoreRun *r, real *d_key);

static inline int64_t score_record(const ScoreRun *r, int64_t slot) { return slot * r->score->columns * r->longest; }

/* --- For the files of scores. --- */

/* Parameter number i, called path/name. */
NODISCARD Status score_param(Score *s, Params *ps, int i, const char *name, const char *meaning, Shape shape,
                             ParamInit init, double scale);
NODISCARD Status score_same_widths(const Score *s); /* of keys and query, or ERR_CONFIG with both */
/* --- Products s^T W h_j of a learnt matrix, times 1 / sqrt(D) where `scaled` is set and s comes from outside: the
 * parameter is then W sqrt(D). Adam moves every weight by about its rate, so all weights together move the score of a
 * pair by rate sum_ic |s_i| |h_c|, which grows with both widths: at 256 units and a rate of 0.002 by several nats a
 * step, and the softmax is saturated before anything is learnt. With SGD the factor stands in the gradient too: W moves
 * D times slower than without. A learnt query is small at the start, and 1 leaves it its own pace. --- */
#define SCORE_SCALED(type)                                                                                             \
    FIELD(type, scaled, .preset = "true",                                                                              \
          .help =                                                                                                      \
              "What is learnt is W times the root of the keys' width, which keeps the pace of Adam; false: W itself "  \
              "(Luong 2015), which SGD moves that width times faster. Of queries that are learnt it is always W.")
/* W, parameter 0, of queries times columns blocks of the keys' width. more: what is to be said of its columns. */
NODISCARD Status score_bilinear_param(Score *s, Params *ps, bool scaled, const char *more);
real score_bilinear(const Score *s);

/* out (rows, columns of P) = query P + bias (NULL: none). A query that all rows have is asked once. */
void score_ask(const ScoreBlock *b, const Panel *p, const real *bias, real *out);
/* d_query += dx P. A query that all rows have gets the sum of dx, which the first row then holds and the others 0. */
void score_ask_backward(const ScoreBlock *b, const Panel *p, real *dx, int64_t ld_dx);

/* Scores that are products: e_kj = scale q_k . key_j. key (N,width), q (rows, K width) of the block's rows. */
void score_products(const ScoreRun *r, const ScoreBlock *b, real scale, const real *key, int64_t width, const real *q,
                    int64_t ld_q);
/* dq_k += scale sum_j de_kj key_j */
void score_products_backward(const ScoreRun *r, const ScoreBlock *b, real scale, const real *key, int64_t width,
                             real *dq, int64_t ld_dq);
/* out_j (N,width) += scale sum over slots and k of record_kj x_k: the gradient of keys or values, example by example as
 * one product. x (slots, K width) */
NODISCARD Status score_gather(const ScoreRun *r, real scale, const real *record, const real *x, int64_t width,
                              real *out);
/* Rows of slots that were never used to 0, before a product over all slots. */
void score_clear_unused(const ScoreRun *r, real *x, int64_t width);

/* Scores with a hidden layer: t_j = tanh(q W + b + key_j U + coverage_j c), e_j = v . t_j (hidden.c). Numbers of their
 * parameters; those that are not there count as 0, but without W of a query that has units U holds both: first the rows
 * of the query, then those of the keys. */
enum { HIDDEN_W, HIDDEN_U, HIDDEN_B, HIDDEN_V, HIDDEN_COVERAGE, HIDDEN_PARAMS };

enum { SCORE_HIDDEN_ROWS = 2 };
extern const Field score_hidden_rows[SCORE_HIDDEN_ROWS];
#define SCORE_HIDDEN .fields = score_hidden_rows, .n_fields = SCORE_HIDDEN_ROWS, .size = sizeof(HiddenSettings)

NODISCARD Status score_hidden_vector(Score *s, Params *ps); /* v, drawn around 0 */
/* The vector c of coverage, where coverage is on. */
NODISCARD Status score_coverage_param(Score *s, Params *ps);
NODISCARD Status score_hidden_open(ScoreRun *r);
void score_hidden_forward(ScoreRun *r, const ScoreBlock *b);
void score_hidden_backward(ScoreRun *r, const ScoreBlock *b);
NODISCARD Status score_hidden_finish(ScoreRun *r, real *d_key);

#endif
