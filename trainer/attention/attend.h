/* attend.h - attention of queries that come step by step, as a decoder's do, over the states of each example.
 *
 *   score (trainer/attention/score/) -> range (range/) -> select (select/: scores to weights) -> context
 * A run lives for one batch. Forward goes step by step; backward takes the same steps in reverse; what can wait (the
 * gradients of keys and parameters) is done at the end in large products. A row's result is a function of its query and
 * its example's keys alone, bit for bit. An example without keys gives weights and contexts of 0.
 *
 * Selections that share (soft, sparsemax, entmax15) are multiplied by the Gaussian of local_p, as Luong 2015 has it:
 * their weights do not sum to 1. Those that choose one position choose among a_j g_j: the logarithm of the Gaussian is
 * added to the scores, so that the choice keeps its whole weight and the place of the window learns from it. */
#ifndef TRAINER_ATTENTION_ATTEND_H
#define TRAINER_ATTENTION_ATTEND_H
#include "trainer/attention/range/range.h"
#include "trainer/attention/score/steps.h"
#include "trainer/attention/select/select.h"

typedef struct AttendSettings {
    const char *score, *select, *range; /* names in their families */
    int64_t attend;                     /* A: width of the hidden layer of scores that have one */
    int64_t rows;                       /* K of multi_dim */
    int64_t window;                     /* D of local_m and local_p */
    SelectSettings selection;
    double orthogonality; /* multi_dim: weight of ||A A^T - I||_F^2 of each query (Lin 2017) */
    bool coverage;        /* scores with a hidden layer see what each key got before (Tu 2016) */
    double coverage_loss; /* weight of sum_j min(a_j, coverage_j) of each query (See 2017) */
    double guide;         /* weight of -log a_j of each query that is told where to look, at j (Mi 2016) */
} AttendSettings;

typedef struct Attend {
    AttendSettings settings;
    Score score;
    Range range;
    const SelectDef *select;
} Attend;

/* Why these do not go together, or NULL. Names of known members; apply: "between" or "after". */
const char *attend_refuses(const char *score, const char *select, const char *range, const char *apply);
const char *attend_refuses_coverage(const char *score); /* the same for the setting coverage */
const char *attend_apply_name(int i);                   /* where an attention is applied: NULL after the last */
const char *attend_apply_help(int i);
/* Scores, selections, ranges, places of application, and which go together, as Markdown. */
NODISCARD Status attend_markdown(Buffer *out);

/* keys: n, width of the states; query: m; longest: most keys of an example. ERR_CONFIG with the reason for a
 * combination that makes no sense. Parameters path/... */
NODISCARD Status attend_build(Attend **out, Params *ps, const AttendSettings *s, int64_t keys, int64_t query,
                              int64_t longest, const char *path);
int64_t attend_width(const Attend *a); /* of a context: K n */
int64_t attend_heads(const Attend *a); /* K: weights a query has for each key; 1 but for multi_dim */

typedef struct AttendBatch {
    const real *key;         /* (N,n) */
    Segments keys;           /* example b has the rows offset[b] .. offset[b + 1] - 1 */
    int64_t slots;           /* records: training one for each query of the batch, decoding the most rows of a step */
    bool train, backward;    /* noise is drawn; records are kept for backward */
    double temperature;      /* gumbel, at this step of the training; 0: that of the settings */
    RandomKey noise;         /* of this step of the training */
    const uint64_t *row_key; /* (examples) rows of its random numbers; NULL when nothing is drawn */
    const int32_t *wanted;   /* (slots) key of its example where it should look, -1: nowhere; NULL: none is told */
} AttendBatch;

typedef struct AttendRun AttendRun;

typedef struct AttendStep {
    int64_t rows;
    int64_t step;            /* t from 0: the position of the output, for local_m and for random numbers */
    int64_t slot;            /* rows have the records slot, slot + 1, ... */
    const int32_t *sentence; /* (rows) example whose keys a row looks at */
    const real *query;       /* (rows,m) */
    int64_t ld_query;
    real *context; /* (rows, K n) out */
    int64_t ld_context;
    real *const *coverage; /* (rows) each (keys of its example): sum of its weights so far, in and out. Needed with
                              settings.coverage or coverage_loss, else NULL. Backward does not read it. */
} AttendStep;

/* Memory from arena for all steps. ERR_DATA when an example has more keys than score location has positions for. */
NODISCARD Status attend_open(AttendRun **out, const Attend *a, Arena *arena, const AttendBatch *b);
void attend_forward(AttendRun *r, const AttendStep *s);
const real *attend_weights(const AttendRun *r, int64_t slot); /* (K, keys of the example) of that record */

/* Sum over all queries so far of what the attention adds to the loss (entropy, coverage, orthogonality, guide); 0 when
 * the run neither trains nor goes backward. */
double attend_penalty(const AttendRun *r);
/* Before the first step back: d loss / d penalty (what one query's -log p counts in the loss), and what each slot's
 * choice earned (log p less baseline, for hard_sample; NULL otherwise). */
void attend_begin_backward(AttendRun *r, real d_penalty, const real *reward);
/* s as in forward (context and coverage are not read). d_query (rows,m) += */
void attend_backward(AttendRun *r, const AttendStep *s, const real *d_context, int64_t ld_context, real *d_query,
                     int64_t ld_query);
/* After the step that was first: d_key (N,n) += and the gradients of the parameters +=. */
NODISCARD Status attend_finish(AttendRun *r, real *d_key);

#endif
