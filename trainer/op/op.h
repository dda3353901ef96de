/* op.h - the operations on the tape. Each is one file; formulas and derivatives stand there.
 *
 * Rows are independent: no element of a result depends on how many other rows there are, so that neither padding nor
 * the company in a batch changes a bit. An op adds to the gradients of its inputs. Wrong shapes fail the tape. */
#ifndef TRAINER_OP_OP_H
#define TRAINER_OP_OP_H
#include "io/batch/batch.h"
#include "trainer/core/kernel.h"
#include "trainer/core/tape.h"

/* Rows of a table by number: row i is rows[index[i]]. One row for each different id, however often it comes. */
typedef struct Lookup {
    Node *rows;           /* (U,D) */
    const int32_t *index; /* (n) into rows */
    int64_t n;
} Lookup;

/* x (N,D)  w (D,M)  b (M) or NULL -> x w + b (N,M) */
Node *op_linear(Tape *t, Node *x, Node *w, Node *b);
/* x (N,D)  w (M,D) -> x w^T (N,M) */
Node *op_linear_nt(Tape *t, Node *x, Node *w);

Node *op_add(Tape *t, Node *a, Node *b);       /* a + b, same shape */
Node *op_add_row(Tape *t, Node *x, Node *row); /* x (N,D) + row (D) */
Node *op_mul(Tape *t, Node *a, Node *b);       /* element by element, same shape */
Node *op_scale(Tape *t, Node *x, real factor); /* factor * x, factor constant */
Node *op_tanh(Tape *t, Node *x);
Node *op_sigmoid(Tape *t, Node *x);
Node *op_relu(Tape *t, Node *x);
Node *op_relu_half(Tape *t, Node *x);            /* (N,D): relu of the columns from D/2 on, the others as they are */
Node *op_reshape(Tape *t, Node *x, Shape shape); /* same elements, no copy */
Node *op_sum(Tape *t, Node *x);                  /* sum of all elements (1) */
Node *op_sum_squares(Tape *t, Node *x);          /* sum of all squares (1) */
/* Each row over its last axis: (x - mean) / sqrt(variance + 1e-5) * gain (D) + bias (D) */
Node *op_layer_norm(Tape *t, Node *x, Node *gain, Node *bias);
Node *op_softmax(Tape *t, Node *x);                           /* over the last axis */
Node *op_concat(Tape *t, int n, Node *const *x);              /* n of (N,D_i) -> (N, sum D_i) */
Node *op_columns(Tape *t, Node *x, int64_t first, int64_t n); /* (N,D): columns first .. first + n - 1 -> (N,n) */
Node *op_maxout(Tape *t, Node *x);                            /* (N,2M): the larger of columns 2j and 2j + 1 -> (N,M) */
void op_maxout_rows(int64_t n, const real *x, real *y);       /* the same without a tape: 2 n numbers -> n */
Node *op_stack(Tape *t, Node *a, Node *b);                    /* (N,D) above (M,D) -> (N+M,D) */

/* Inverted dropout: with probability p an element is 0, otherwise x / (1 - p). Element (i, c) hangs on key[i] and c
 * alone. When the tape does not train, or p = 0: x itself. x (N,D)  key (N) */
Node *op_dropout(Tape *t, Node *x, double p, const uint64_t *key);

/* Row i of the result is row index[i] of x (U,D) -> (n,D) */
Node *op_gather(Tape *t, Node *x, int64_t n, const int32_t *index);
/* The rows of a table that the n ids name; ids must lie in 0..V-1. */
Lookup op_embed_unique(Tape *t, Param *table, int64_t n, const int32_t *id);
/* Rows of the identity: id -> (0 .. 1 .. 0) of that width. */
Lookup op_embed_one_hot(Tape *t, int64_t width, int64_t n, const int32_t *id);

/* Row index[i] of rows (U,D) for each of the n places of the words id, as a leaf of its own: when tape_wants(id). */
Node *op_input(Tape *t, const Node *rows, int64_t n, const int32_t *index, const int32_t *id);

/* w (N,K)  h (N,D) -> (s.n, K * D): sum over the segment's rows of w_k h, for each k; a segment without rows gives 0 */
Node *op_segment_weighted_sum(Tape *t, Node *w, Node *h, Segments s);

/* Sum over the rows of weight[y] ((1 - e) L_y + e mean over the classes of L_c), L = -log softmax(x), e the share of a
 * label that is spread over all classes. x (N,C)  target (N)  weight (C) or NULL -> (1) */
Node *op_cross_entropy(Tape *t, Node *x, const int32_t *target, const real *weight, double smoothing);

/* Sum over the segments of the loss of choosing row target[i] of segment i: -log softmax over its rows. x (N)
 * target (s.n) -> (1) */
Node *op_segment_cross_entropy(Tape *t, Node *x, Segments s, const int32_t *target);
/* Sum over all elements of -yes log sigmoid(x) - (1 - yes) log sigmoid(-x). x (N,C)  yes (N,C) 0 or 1 -> (1) */
Node *op_sigmoid_cross_entropy(Tape *t, Node *x, const real *yes);

/* A linear chain: the tags of a sequence as a whole. x (N,K) scores of its positions; transitions (K + 2,K): row i what
 * it scores to go from tag i on, row K from the beginning, row K + 1 from tag j to the end. Sum over the sequences of
 * -log p(tag); a sequence without positions costs nothing. tag (N)  loss (s.n) out or NULL -> (1) */
Node *op_crf_loss(Tape *t, Node *x, Node *transitions, const int32_t *tag, Segments s, real *loss);
/* For evaluation: loss (s.n) out as above, or NULL; guess (N) out: the likeliest sequences (Viterbi), the first of
 * equal ones from the end on, or NULL. guess may be tag. Failures mark the tape. */
void op_crf_rows(Tape *t, const Node *x, const Node *transitions, const int32_t *tag, Segments s, double *loss,
                 int32_t *guess);

/* The output layer over a vocabulary and its cross-entropy in one, in pieces, so that the logits z = x w^T + bias are
 * never all there: sum over the rows of -(1 - e) log softmax(z)_target - e mean over c of log softmax(z)_c, with e the
 * smoothing. Gradients of w and bias are added when the loss is made (the tape must be the one that walks back), that
 * of x in backward. loss: -log softmax(z)_target of each row, without smoothing. w is dense, not kept as rows.
 * x (N,D)  w (V,D)  bias (V) or NULL  target (N)  loss (N) out or NULL -> (1) */
Node *op_output_loss(Tape *t, Node *x, Node *w, Node *bias, const int32_t *target, double smoothing, real *loss);
/* For evaluation: loss (N) out as above, guess (N) out: the likeliest word, the first of those that are equal. A row's
 * are functions of its row of x alone. Failures mark the tape. */
void op_output_rows(Tape *t, const Node *x, const Node *w, const Node *bias, const int32_t *target, double *loss,
                    int32_t *guess);

/* Additive pooling in one: u = tanh(h w + b), e = u . v, a = softmax of e over the segment, sum of a h.
 * h (N,D)  w (D,A)  b (A)  v (A) -> (s.n, D); *weight (N), for those who look. A segment without rows gives 0. */
Node *op_pool_additive(Tape *t, Node *h, Node *w, Node *b, Node *v, Segments s, Node **weight);

/* Sentences as bags of words or with the position encoding of Sukhbaatar 2015:
 *   m_r = sum_j l_j * E[word_j] + T[time_r],  l_jk = (1 - j/J) - (k/d)(1 - 2j/J), j = 1..J, k = 1..d, or l = 1.
 * Sentence r has the words id[begin[r]] .. id[end[r] - 1]. table (V,d)
 * temporal (M,d) or NULL -> (n,d) */
Node *op_sentence_sum(Tape *t, Node *table, Node *temporal, const SentenceRows *rows);

/* One hop over the memories of each example: p = softmax(u . m_i), or p = u . m_i when linear; o = sum_i p_i c_i.
 * slots > 0: the softmax runs over that many slots, of which those without a sentence hold zeros: they take their share
 * of the weight and give nothing, so that a query which matches nothing reads nothing (as the authors' program does).
 * u (B,d)  m (N,d)  c (N,d)  s: B segments of N -> o (B,d); *weight (N), for those who look. */
typedef struct MemoryRead {
    bool linear;
    int64_t slots; /* 0: as many as there are sentences */
} MemoryRead;
Node *op_memory_hop(Tape *t, Node *u, Node *m, Node *c, Segments s, MemoryRead how, Node **weight);

/* Keys for op_dropout from the number of the example and the place in it. */
uint64_t op_row_key(int64_t example, int64_t position);

#endif
