/* kernel.h - the inner loops, built for several processors and chosen once by CPUID.
 *
 * Every result of a row is a function of that row alone: how many rows there are, where they lie in memory and how they
 * are aligned changes no bit. Between levels (base, v3, v4) results differ by rounding. Nothing here allocates. */
#ifndef TRAINER_CORE_KERNEL_H
#define TRAINER_CORE_KERNEL_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "comm/random.h"
#include "trainer/core/cpu.h"
#include "trainer/core/real.h"

enum {
    PANEL_VECS = 3,      /* vectors of columns in a panel of an ordinary matrix */
    PANEL_ROWS_MAX = 64, /* rows that a step works on at once */
    KERNEL_BLOCK = 128   /* numbers that one of block_maxima stands for */
};

/* A matrix B (K,N), copied once into the order in which the tiles read it: panels of `vecs` vectors of columns, each
 * [K][vecs * lanes], columns beyond N are 0. With gates > 0 panel p holds, of each gate, columns [p, p + 1) * lanes. */
typedef struct Panel {
    int64_t k, n;
    int gates; /* 0: ordinary */
    real *packed;
} Panel;

/* What one step of a recurrent layer reads and writes for up to PANEL_ROWS_MAX sequences of H units: rows that follow
 * each other, or one pointer a row. A record has the columns that the cell documents (kernel/gru.c, lstm.c, rnn.c). */
typedef struct StepRows {
    int rows, next_rows;                 /* the first next_rows have a step after this one */
    int64_t h;                           /* H */
    bool first;                          /* the state before is 0 */
    const real *in;                      /* (rows,H) masked state before: what is multiplied by U */
    real *next;                          /* (next_rows,H) out: masked new state */
    real *record;                        /* (rows, columns * H) */
    const real *record_before;           /* (rows, columns * H) of the step before; NULL when first */
    real *d_carry;                       /* backward (rows,H): gradient of the state from the step after; replaced */
    real *d_cell;                        /* backward, LSTM (rows,H): the same for the cell */
    const real *input[PANEL_ROWS_MAX];   /* forward (gates * H): projection of the input */
    const real *before[PANEL_ROWS_MAX];  /* (H) state before */
    real *state[PANEL_ROWS_MAX];         /* (H) out: the new state */
    const real *mask[PANEL_ROWS_MAX];    /* (H) recurrent dropout; all NULL: none */
    const real *d_state[PANEL_ROWS_MAX]; /* backward (H): gradient of the state from outside */
} StepRows;

/* Sentences of a memory network. Sentence r has the words id[begin[r]] .. id[end[r] - 1]. */
typedef struct SentenceRows {
    int64_t n;
    const int64_t *begin, *end; /* (n) into id */
    const int32_t *id;
    const int32_t *time; /* (n) its row in a table of times, or NULL */
    bool position;       /* position encoding, otherwise bag of words */
    int64_t centred; /* with position: J of all sentences in the form of the authors' program; 0: the paper's form */
} SentenceRows;

/* Numbers of one update by an optimiser (trainer/optim/ says what they are). */
typedef struct MomentumStep {
    real rate, decay, mu;
    bool nesterov;
} MomentumStep;

typedef struct SquareStep {
    real rate, decay, eps, rho, rest; /* rest = 1 - rho */
} SquareStep;

typedef struct AdamStep {
    real rate, root, eps, beta1, rest1, beta2, rest2; /* rate / (1 - beta1^t), 1 / sqrt(1 - beta2^t) */
    real decay, kept;                                 /* of the value: added to the gradient; what stays of it */
} AdamStep;

/* The gradient of those rows: dense, and sums of products weight[o][row] * vector[o][segment of row]. Formed row by row
 * in registers, so that it never lies in memory. */
enum { OUTER_MOST = 8 };
typedef struct RowsGradient {
    const real *dense; /* (n,d) or NULL */
    int outers;
    const real *weight[OUTER_MOST]; /* (n) */
    const real *vector[OUTER_MOST]; /* (segments,d) */
    int64_t segments;
    const int64_t *offset; /* (segments + 1): rows offset[i] .. offset[i + 1] - 1; they cover all n rows */
} RowsGradient;

/* One query against n keys: e_r = v . tanh(key_r + query + coverage_r c), and what its gradient adds to. */
typedef struct AdditiveRows {
    int64_t n, a;
    const real *key, *query, *v; /* (n,a) (a) (a) */
    const real *coverage, *c;    /* (n) (a), or NULL */
    const real *de;              /* (n) */
    real *d_key, *d_query, *dv;  /* += */
    real *d_coverage, *dc;       /* += where there is coverage */
} AdditiveRows;

typedef struct Kernels {
    const char *level; /* "base", "v3", "v4" */
    int lanes;         /* reals in one vector */

    /* Element by element; y may be x. Largest errors of the float build, in ulp of the exact result unless said
     * otherwise: exp 2 (0 below -86.98, inf above 88.72), tanh 5, sigmoid 2e-7 absolute. NaN gives NaN. The double
     * build calls the C library. */
    void (*exp)(int64_t n, const real *x, real *y);
    void (*tanh)(int64_t n, const real *x, real *y);
    void (*sigmoid)(int64_t n, const real *x, real *y);
    void (*scale)(int64_t n, real a, real *x);                          /* x = a x */
    void (*add)(int64_t n, const real *x, real *y);                     /* y += x */
    void (*axpy)(int64_t n, real a, const real *x, real *y);            /* y += a x */
    void (*multiply)(int64_t n, const real *a, const real *b, real *y); /* y = a b */

    /* Sums in an order that only n decides. */
    real (*dot)(int64_t n, const real *x, const real *y);
    double (*sum_squares)(int64_t n, const real *x);
    real (*maximum)(int64_t n, const real *x); /* -inf for n = 0 */
    /* maximum[b] = the largest of x[b * KERNEL_BLOCK] and those that follow, to the end of the block or of x. A NaN is
     * never the largest. */
    void (*block_maxima)(int64_t n, const real *x, real *maximum);
    double (*log_sum)(int64_t n, const real *x, real shift); /* shift + log sum exp(x - shift) */
    /* y = exp(x - max x) / sum; y may be x. Returns max x + log sum. n >= 1 */
    real (*softmax)(int64_t n, const real *x, real *y);
    void (*softmax_backward)(int64_t n, const real *y, const real *dy, real *dx); /* dx += y (dy - y . dy) */
    /* log sum exp(x), at least the largest x; *best: the first of the largest. n >= 1 */
    double (*log_sum_exp)(int64_t n, const real *x, int64_t *best);
    /* x becomes scale (softmax(x) - shift); returns log sum exp(x), the bits of log_sum_exp, and the mean of x as it
     * was in *mean (may be NULL). n >= 1 */
    double (*softmax_gradient)(int64_t n, real scale, real shift, real *x, double *mean);

    /* Rows. x (rows,n) with ldx between rows. */
    void (*gather)(int64_t rows, int64_t n, const real *table, int64_t ld, const int32_t *index, real *y, int64_t ldy);
    /* table[index[r]] += x[r], in the order of the rows */
    void (*scatter_add)(int64_t rows, int64_t n, const real *x, int64_t ldx, const int32_t *index, real *table,
                        int64_t ld);
    /* y[r] = the sum of rows list[start[r]] .. list[start[r + 1] - 1] of x, in that order */
    void (*gather_sum)(int64_t rows, int64_t n, const real *x, int64_t ldx, const int64_t *start, const int32_t *list,
                       real *y, int64_t ldy);
    void (*column_sums)(int64_t rows, int64_t n, const real *x, int64_t ldx, real *sum); /* sum += over the rows */

    /* Panels; called through panel.h. */
    void (*panel_pack)(Panel *p, const real *b, int64_t ldb, bool transposed);
    /* C = beta C + A P (+ bias, a row, may be NULL), row i of A and C at a[i], c[i]; rows <= PANEL_ROWS_MAX. */
    void (*panel_rows)(int rows, const real *const *a, const Panel *p, real beta, const real *bias, real *const *c);
    void (*panel_gemm)(int64_t m, const real *a, int64_t lda, const Panel *p, real beta, const real *bias, real *c,
                       int64_t ldc);

    /* Recurrent cells: one step of up to PANEL_ROWS_MAX sequences. u is packed with gates = 3, 4 or 1. */
    void (*gru_forward)(const StepRows *s, const Panel *u, const real *bias);
    void (*gru_backward)(const StepRows *s);
    void (*lstm_forward)(const StepRows *s, const Panel *u);
    void (*lstm_backward)(const StepRows *s);
    void (*rnn_forward)(const StepRows *s, const Panel *u);
    void (*rnn_backward)(const StepRows *s);

    /* Additive pooling of n rows of A columns: u = tanh(u + b) in place (b may be NULL), score_r = u_r . v */
    void (*tanh_score)(int64_t n, int64_t a, real *u, const real *b, const real *v, real *score);
    /* du_r = d_score_r v (1 - u_r^2) written over u; dv += d_score_r u_r (dv may be NULL) */
    void (*tanh_score_backward)(int64_t n, int64_t a, real *u, const real *v, const real *d_score, real *dv);
    /* y = sum_r w_r x_r over n rows of D columns (0 for n = 0) */
    void (*weighted_sum)(int64_t n, int64_t d, const real *w, const real *x, int64_t ldx, real *y);
    /* y += scale sum_r w_r x_r */
    void (*weighted_sum_add)(int64_t n, int64_t d, const real *w, const real *x, int64_t ldx, real scale, real *y);
    /* dw_r += x_r . dy (dw may be NULL), dx_r += w_r dy (dx may be NULL) */
    void (*weighted_sum_backward)(int64_t n, int64_t d, const real *w, const real *x, int64_t ldx, const real *dy,
                                  real *dw, real *dx, int64_t lddx);

    /* Additive scores of one query: a columns, coverage may be NULL */
    void (*additive_score)(int64_t n, int64_t a, const real *key, const real *query, const real *v,
                           const real *coverage, const real *c, real *e);
    void (*additive_score_backward)(const AdditiveRows *s);

    /* out_r = sum_j l_j table[word_j] + temporal[time_r] (temporal may be NULL). With position encoding
     * l_jk = (1 - j/J) - kappa_k (1 - 2j/J), j = 1..J, kappa (d), or centred l_jk = 1 + 4 kappa_k (j - (J + 1) / 2) /
     * J; otherwise l = 1. */
    void (*sentence_sum)(const SentenceRows *s, int64_t d, const real *kappa, const real *table, const real *temporal,
                         real *out);
    /* dtable[word_j] += l_j dout_r, with zero_row not to row 0; dtemporal[time_r] += dout_r. Either may be NULL. */
    void (*sentence_scatter)(const SentenceRows *s, int64_t d, const real *kappa, const RowsGradient *dout,
                             bool zero_row, real *dtable, real *dtemporal);
    void (*rows_dot)(int64_t n, int64_t d, const real *x, int64_t ldx, const real *y, real *out); /* out_r = x_r . y */
    void (*outer_add)(int64_t n, int64_t d, const real *w, const real *y, real *x, int64_t ldx);  /* x_r += w_r y */
    uint32_t (*largest_id)(int64_t n, const int32_t *id); /* a negative one counts as larger than all; 0 for n = 0 */

    /* Optimisers: n values p and their states move by one step on gradient g. */
    void (*sgd)(int64_t n, real rate, real decay, const real *g, real *p);
    void (*momentum)(int64_t n, const MomentumStep *s, const real *g, real *m, real *p);
    /* k steps with gradient 0 and the rates rate[0..k): the bits of k calls of momentum */
    void (*momentum_idle)(int64_t n, const MomentumStep *s, int64_t k, const real *rate, real *m, real *p);
    void (*adagrad)(int64_t n, real rate, real decay, real eps, const real *g, real *sum, real *p);
    void (*adadelta)(int64_t n, const SquareStep *s, const real *g, real *square, real *moved, real *p);
    void (*rmsprop)(int64_t n, const SquareStep *s, const real *g, real *square, real *p);
    void (*adam)(int64_t n, const AdamStep *s, const real *g, real *mean, real *square, real *p);
    void (*approach)(int64_t n, real share, const real *x, real *y); /* y += share (x - y) */

    /* stays[c] = 1 unless 16 bits of its own are below threshold: half (c % 2) of word (c % 8) / 2 of
     * random_bits(key, row, c / 8) */
    void (*dropout_draw)(RandomKey key, uint64_t row, int64_t n, uint32_t threshold, uint8_t *stays);
    void (*dropout_apply)(int64_t n, const uint8_t *stays, real scale, const real *x, real *y); /* y = scale x or 0 */
    void (*dropout_add)(int64_t n, const uint8_t *stays, real scale, const real *x, real *y);   /* y += scale x or 0 */
} Kernels;

const Kernels *kernels_at(CpuLevel level); /* NULL: this processor or this build has none of that level */
const Kernels *kernels(void);              /* never NULL; MNEME_KERNELS=base|v3|v4 lowers the level (for tests) */

#endif
