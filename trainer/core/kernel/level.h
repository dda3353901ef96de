/* level.h - each file of this folder is built once for each level of x86-64; what it exports carries the level.
 *
 * LEVEL(kernel_exp) is kernel_exp_v4 where the file is built for AVX-512. */
#ifndef TRAINER_CORE_KERNEL_LEVEL_H
#define TRAINER_CORE_KERNEL_LEVEL_H
#include "trainer/core/kernel.h"

#define LEVEL_JOIN(name, level) name##_##level
#define LEVEL_OF(name, level)   LEVEL_JOIN(name, level)
#define LEVEL(name)             LEVEL_OF(name, KERNEL_LEVEL)
#define LEVEL_TEXT_OF(level)    #level
#define LEVEL_TEXT(level)       LEVEL_TEXT_OF(level)

void LEVEL(kernel_exp)(int64_t n, const real *x, real *y);
void LEVEL(kernel_tanh)(int64_t n, const real *x, real *y);
void LEVEL(kernel_sigmoid)(int64_t n, const real *x, real *y);
void LEVEL(kernel_scale)(int64_t n, real a, real *x);
void LEVEL(kernel_add)(int64_t n, const real *x, real *y);
void LEVEL(kernel_axpy)(int64_t n, real a, const real *x, real *y);
void LEVEL(kernel_multiply)(int64_t n, const real *a, const real *b, real *y);
real LEVEL(kernel_dot)(int64_t n, const real *x, const real *y);
double LEVEL(kernel_sum_squares)(int64_t n, const real *x);
real LEVEL(kernel_maximum)(int64_t n, const real *x);
real LEVEL(kernel_softmax)(int64_t n, const real *x, real *y);
void LEVEL(kernel_block_maxima)(int64_t n, const real *x, real *maximum);
double LEVEL(kernel_log_sum)(int64_t n, const real *x, real shift);
void LEVEL(kernel_softmax_backward)(int64_t n, const real *y, const real *dy, real *dx);
double LEVEL(kernel_log_sum_exp)(int64_t n, const real *x, int64_t *best);
double LEVEL(kernel_softmax_gradient)(int64_t n, real scale, real shift, real *x, double *mean);
void LEVEL(kernel_gather)(int64_t rows, int64_t n, const real *table, int64_t ld, const int32_t *index, real *y,
                          int64_t ldy);
void LEVEL(kernel_scatter_add)(int64_t rows, int64_t n, const real *x, int64_t ldx, const int32_t *index, real *table,
                               int64_t ld);
void LEVEL(kernel_gather_sum)(int64_t rows, int64_t n, const real *x, int64_t ldx, const int64_t *start,
                              const int32_t *list, real *y, int64_t ldy);
void LEVEL(kernel_column_sums)(int64_t rows, int64_t n, const real *x, int64_t ldx, real *sum);
void LEVEL(kernel_panel_pack)(Panel *p, const real *b, int64_t ldb, bool transposed);
void LEVEL(kernel_panel_rows)(int rows, const real *const *a, const Panel *p, real beta, const real *bias,
                              real *const *c);
void LEVEL(kernel_panel_gemm)(int64_t m, const real *a, int64_t lda, const Panel *p, real beta, const real *bias,
                              real *c, int64_t ldc);
void LEVEL(kernel_gru_forward)(const StepRows *s, const Panel *u, const real *bias);
void LEVEL(kernel_gru_backward)(const StepRows *s);
void LEVEL(kernel_lstm_forward)(const StepRows *s, const Panel *u);
void LEVEL(kernel_lstm_backward)(const StepRows *s);
void LEVEL(kernel_rnn_forward)(const StepRows *s, const Panel *u);
void LEVEL(kernel_rnn_backward)(const StepRows *s);
void LEVEL(kernel_tanh_score)(int64_t n, int64_t a, real *u, const real *b, const real *v, real *score);
void LEVEL(kernel_tanh_score_backward)(int64_t n, int64_t a, real *u, const real *v, const real *d_score, real *dv);
void LEVEL(kernel_weighted_sum)(int64_t n, int64_t d, const real *w, const real *x, int64_t ldx, real *y);
void LEVEL(kernel_weighted_sum_add)(int64_t n, int64_t d, const real *w, const real *x, int64_t ldx, real scale,
                                    real *y);
void LEVEL(kernel_weighted_sum_backward)(int64_t n, int64_t d, const real *w, const real *x, int64_t ldx,
                                         const real *dy, real *dw, real *dx, int64_t lddx);
void LEVEL(kernel_additive_score)(int64_t n, int64_t a, const real *key, const real *query, const real *v,
                                  const real *coverage, const real *c, real *e);
void LEVEL(kernel_additive_score_backward)(const AdditiveRows *s);
void LEVEL(kernel_sentence_sum)(const SentenceRows *s, int64_t d, const real *kappa, const real *table,
                                const real *temporal, real *out);
void LEVEL(kernel_sentence_scatter)(const SentenceRows *s, int64_t d, const real *kappa, const RowsGradient *dout,
                                    bool zero_row, real *dtable, real *dtemporal);
void LEVEL(kernel_rows_dot)(int64_t n, int64_t d, const real *x, int64_t ldx, const real *y, real *out);
void LEVEL(kernel_outer_add)(int64_t n, int64_t d, const real *w, const real *y, real *x, int64_t ldx);
uint32_t LEVEL(kernel_largest_id)(int64_t n, const int32_t *id);

void LEVEL(kernel_sgd)(int64_t n, real rate, real decay, const real *g, real *p);
void LEVEL(kernel_momentum)(int64_t n, const MomentumStep *s, const real *g, real *m, real *p);
void LEVEL(kernel_momentum_idle)(int64_t n, const MomentumStep *s, int64_t k, const real *rate, real *m, real *p);
void LEVEL(kernel_adagrad)(int64_t n, real rate, real decay, real eps, const real *g, real *sum, real *p);
void LEVEL(kernel_adadelta)(int64_t n, const SquareStep *s, const real *g, real *square, real *moved, real *p);
void LEVEL(kernel_rmsprop)(int64_t n, const SquareStep *s, const real *g, real *square, real *p);
void LEVEL(kernel_adam)(int64_t n, const AdamStep *s, const real *g, real *mean, real *square, real *p);
void LEVEL(kernel_approach)(int64_t n, real share, const real *x, real *y);
void LEVEL(kernel_dropout_draw)(RandomKey key, uint64_t row, int64_t n, uint32_t threshold, uint8_t *stays);
void LEVEL(kernel_dropout_apply)(int64_t n, const uint8_t *stays, real scale, const real *x, real *y);
void LEVEL(kernel_dropout_add)(int64_t n, const uint8_t *stays, real scale, const real *x, real *y);

extern const Kernels LEVEL(kernels);

#endif
