/* attend.h - attention: queries look at the keys of their example.
 *
 *   score (score/) -> range (range/) -> select (select/: scores to weights) -> context
 * A run lives for one batch and works on blocks of queries, each with its example and its position: one of each living
 * sequence, as a decoder's come step by step, or all queries of all sequences at once, as a node of the tape; pooling
 * is a block whose query is a parameter. Backward takes the blocks in reverse; what can wait (the gradients of keys and
 * parameters) is done at the end in large products. A query's result is a function of it and of its example's keys
 * alone, bit for bit. A query that sees no key (its example has none, its window of local_m is empty) gets weights and a
 * context of 0.
 *
 * Selections that share (soft, sparsemax, entmax15) are multiplied by the Gaussian of local_p, as Luong 2015 has it:
 * their weights do not sum to 1. Those that choose one position choose among a_j g_j: the logarithm of the Gaussian is
 * added to the scores, so that the choice keeps its whole weight and the place of the window learns from it. */
#ifndef TRAINER_ATTENTION_ATTEND_H
#define TRAINER_ATTENTION_ATTEND_H
#include "trainer/attention/range/range.h"
#include "trainer/attention/score/score.h"
#include "trainer/attention/select/select.h"

typedef struct AttendSettings {
    Chosen score, select, range; /* of their families */
    double coverage_loss;        /* weight of sum_j min(a_j, coverage_j) of each query (See 2017) */
} AttendSettings;

/* Their rows, for a group of a component that has an attention. */
extern const FieldRows attend_rows;

/* What an attention is used for. */
typedef struct AttendUse {
    const char *apply;           /* one of attend_apply_name; NULL: anywhere */
    int64_t keys, query, values; /* widths n, m and v; values 0: the keys are the values */
    int64_t longest;             /* most keys of an example */
    double guide;                /* weight of -log a_j of each query that is told where to look, at j (Mi 2016) */
} AttendUse;

typedef struct Attend {
    AttendSettings settings;
    AttendUse use;
    Score score;
    Range range;
    const SelectDef *select;
    int64_t values;           /* width of a value */
    const ManySettings *many; /* of the score, or NULL */
} Attend;

/* Why these do not go together, or NULL. Names of known members; NULL: any, and only what hangs on the others is said.
 */
const char *attend_refuses(const char *score, const char *select, const char *range, const char *apply);
const char *attend_refuses_coverage(const char *score); /* the same for the setting coverage */
const char *attend_apply_name(int i);                   /* where an attention is applied: NULL after the last */
const char *attend_apply_help(int i);
/* Scores, selections, ranges, places of application, and which go together, as Markdown. */
NODISCARD Status attend_markdown(Buffer *out);

/* ERR_CONFIG with the reason for a combination that makes no sense. Parameters path/... */
NODISCARD Status attend_build(Attend **out, Params *ps, const AttendSettings *s, AttendUse use, const char *path);
int64_t attend_width(const Attend *a);  /* of a context: K v */
int64_t attend_heads(const Attend *a);  /* K: weights a query has for each key; 1 but for multi_dim */
bool attend_penalised(const Attend *a); /* it may add something to the loss */
bool attend_covers(const Attend *a);    /* it needs what each key got before */

typedef struct AttendBatch {
    const real *key;         /* (N,n) */
    const real *value;       /* (N,v); NULL: the keys */
    Segments keys;           /* example b has the rows offset[b] .. offset[b + 1] - 1 */
    int64_t slots;           /* records: training one for each query of the batch, decoding the most rows of a step */
    bool train, backward;    /* noise is drawn; records are kept for backward */
    uint64_t step;           /* of the training */
    RandomKey noise;         /* of this step of the training */
    const uint64_t *row_key; /* (examples) rows of its random numbers; NULL when nothing is drawn */
    const int32_t *wanted;   /* (slots) key of its example where it should look, -1: nowhere; NULL: none is told */
} AttendBatch;

typedef struct AttendRun AttendRun;

typedef struct AttendBlock {
    int64_t rows;
    int64_t step;            /* t from 0: the position of the queries, for ranges and for random numbers, and */
    const int64_t *position; /* (rows) where it is not that of all; or NULL */
    int64_t slot;            /* rows have the records slot, slot + 1, ... */
    const int32_t *sentence; /* (rows) example whose keys a row looks at */
    const real *query;       /* (rows,m) */
    int64_t ld_query;        /* 0: all rows have one query */
    real *context;           /* (rows, K v) out */
    int64_t ld_context;
    real *const *coverage; /* (rows) each (keys of its example): sum of its weights so far, in and out: an example has
                              one row at most. Needed with attend_covers, else NULL. Backward does
                              not read it. */
} AttendBlock;

/* Memory from arena for all blocks. ERR_DATA when an example has more keys than score location has positions for. */
NODISCARD Status attend_open(AttendRun **out, const Attend *a, Arena *arena, const AttendBatch *b);
void attend_forward(AttendRun *r, const AttendBlock *b);
const real *attend_weights(const AttendRun *r, int64_t slot); /* (K, keys of the example) of that record */
/* The same, of what the selection kept for backward (probabilities of a draw); NULL: it kept nothing. */
const real *attend_kept(const AttendRun *r, int64_t slot);

/* Sum over all queries so far of what the attention adds to the loss (entropy, coverage, orthogonality, guide); 0 when
 * the run neither trains nor goes backward. */
double attend_penalty(const AttendRun *r);
/* Before the first block back: d loss / d penalty (what one query's -log p counts in the loss), and what each slot's
 * choice earned (log p less baseline, for hard_sample; NULL otherwise). */
void attend_begin_backward(AttendRun *r, real d_penalty, const real *reward);
/* b as in forward (context and coverage are not read). d_query (rows,m) += */
void attend_backward(AttendRun *r, const AttendBlock *b, const real *d_context, int64_t ld_context, real *d_query,
                     int64_t ld_query);
/* After the block that was first: d_key (N,n) and d_value (N,v; NULL where the keys are the values) += and the
 * gradients of the parameters +=. */
NODISCARD Status attend_finish(AttendRun *r, real *d_key, real *d_value);

/* All queries at once, on the tape. */
typedef struct AttendAsk {
    Node *query;      /* (M,m); NULL where a query has no units */
    Segments queries; /* of example b; they stand at the positions 0, 1, ... offset NULL: M = 1, all examples ask it */
    Node *key;        /* (N,n) */
    Node *value;      /* (N,v); NULL: the keys */
    Segments keys;
    const uint64_t *row_key; /* as in AttendBatch */
} AttendAsk;

/* Contexts (M, K v), or one an example. */
Node *attend_node(const Attend *a, Tape *t, const AttendAsk *ask);
/* What the attention of attend_node adds to the loss (1); NULL: nothing. */
Node *attend_node_penalty(Node *y, Tape *t);
/* Keeps its weights for those who look. as: name, layer and axes; several rows of weights are heads. */
void attend_node_view(Node *y, Tape *t, const TapeView *as);

#endif
