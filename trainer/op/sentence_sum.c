/* sentence_sum.c - sentences as weighted sums of their words' rows: the memories of Sukhbaatar 2015.
 *
 * l_jk = (1 - j/J) - (k/d)(1 - 2j/J) = a_j + b_j k/d: two numbers a word instead of a table of weights, so the only
 * memory that a word touches is its row. One table at a time, so that it stays in the first-level cache. */
#include <string.h>

#include "trainer/op/shape.h"

/* out = sum_j (a_j + b_j kappa) E[word_j], kappa_k = (k+1)/d, k from 0 */
static void sum_words(int64_t d, const real *kappa, const real *table, int64_t J, const int32_t *word, bool position,
                      real *out)
{
    for (int64_t j = 0; j < J; j++) {
        const real *e = table + word[j] * d;
        if (position) {
            const real share = (real)(j + 1) / (real)J, a = 1 - share, b = 2 * share - 1;
            for (int64_t k = 0; k < d; k++) out[k] += (a + b * kappa[k]) * e[k];
        } else {
            for (int64_t k = 0; k < d; k++) out[k] += e[k];
        }
    }
}

/* dE[word_j] += l_j dm; row 0 is left out when it has to stay zero */
static void scatter_words(int64_t d, const real *kappa, const real *dm, int64_t J, const int32_t *word, bool position,
                          bool zero_row, real *dtable)
{
    for (int64_t j = 0; j < J; j++) {
        if (zero_row && word[j] == 0) continue;
        real *de = dtable + word[j] * d;
        if (position) {
            const real share = (real)(j + 1) / (real)J, a = 1 - share, b = 2 * share - 1;
            for (int64_t k = 0; k < d; k++) de[k] += (a + b * kappa[k]) * dm[k];
        } else {
            for (int64_t k = 0; k < d; k++) de[k] += dm[k];
        }
    }
}

typedef struct Keep {
    SentenceRows rows;
    real *kappa; /* (d) */
} Keep;

/* dE[word_j] += l_j * dm_r, dT[time_r] += dm_r */
static void backward(Tape *t, Node *y)
{
    const Keep *keep = y->data;
    const SentenceRows *r = &keep->rows;
    const int64_t d = y->shape.d[1];
    const Param *p = y->in[0]->param;
    real *dtable = node_grad(t, y->in[0]), *dtime = y->n_in > 1 ? node_grad(t, y->in[1]) : NULL;
    for (int64_t i = 0; i < r->n; i++) {
        const real *dm = y->grad + i * d;
        if (dtable)
            scatter_words(d, keep->kappa, dm, r->end[i] - r->begin[i], r->id + r->begin[i], r->position,
                          p && p->zero_row, dtable);
        if (dtime && r->time[i] >= 0)
            for (int64_t k = 0; k < d; k++) dtime[r->time[i] * d + k] += dm[k];
    }
}

static const OpDef def = {"sentence_sum", backward};

/* The first word or time that is not in its table; NULL when all are. */
static Node *refuse_outside(Tape *t, const Node *table, const Node *temporal, const SentenceRows *r)
{
    const int64_t V = table->shape.d[0];
    for (int64_t i = 0; i < r->n; i++) {
        int64_t at;
        if (!op_ids_within(r->end[i] - r->begin[i], r->id + r->begin[i], V, &at))
            return op_refuse_as(t, ERR_DATA, "word %d of sentence %lld is not in the table of %lld rows",
                                (int)r->id[r->begin[i] + at], (long long)i, (long long)V);
        if (temporal && r->time[i] >= temporal->shape.d[0])
            return op_refuse(t, "sentence_sum: time %d of %lld", (int)r->time[i], (long long)temporal->shape.d[0]);
    }
    return NULL;
}

/* m_r = sum_j l_j * E[word_j] + T[time_r]; rows' arrays are borrowed until the tape ends. */
Node *op_sentence_sum(Tape *t, Node *table, Node *temporal, const SentenceRows *rows)
{
    if (!op_is(table, 2)) return op_refuse(t, "sentence_sum of %s: two axes are wanted", op_shape_text(table));
    const int64_t d = table->shape.d[1];
    if (temporal && (!op_is(temporal, 2) || temporal->shape.d[1] != d || !rows->time))
        return op_refuse(t, "sentence_sum of %s with times %s", op_shape_text(table), op_shape_text(temporal));
    if (t->status == OK) {
        Node *refused = refuse_outside(t, table, temporal, rows);
        if (refused) return refused;
    }
    bool ok;
    Node *y = tape_node(t, &def, SHAPE2(rows->n, d), temporal ? 2 : 1, (Node *[]){table, temporal}, &ok);
    if (!ok) return y;
    Keep *keep = y->data = tape_alloc(t, sizeof *keep);
    real *kappa = tape_alloc(t, (size_t)d * sizeof *kappa);
    if (!kappa) return y;
    *keep = (Keep){*rows, kappa};
    for (int64_t k = 0; k < d; k++) kappa[k] = (real)(k + 1) / (real)d;
    for (int64_t i = 0; i < rows->n; i++) {
        real *out = y->value + i * d;
        if (temporal && rows->time[i] >= 0)
            memcpy(out, temporal->value + rows->time[i] * d, (size_t)d * sizeof(real));
        else
            memset(out, 0, (size_t)d * sizeof(real));
        sum_words(d, kappa, table->value, rows->end[i] - rows->begin[i], rows->id + rows->begin[i], rows->position,
                  out);
    }
    return y;
}
