/* sentence_sum.c - sentences as weighted sums of their words' rows: the memories of Sukhbaatar 2015.
 *
 * l_jk = (1 - j/J) - kappa_k (1 - 2j/J), kappa_k = k/d: needs no table of weights, so the only memory that a word
 * touches is its row. One table at a time, so that it stays in the first-level cache. */
#include "trainer/core/kernel.h"
#include "trainer/op/shape.h"

typedef struct Keep {
    SentenceRows rows;
    RowsGradient outer; /* what op_outer_gradient left here */
    int64_t whole[2];   /* all rows as one segment */
    real *kappa;        /* (d) k/d, k from 1; centred: (k - (d + 1) / 2) / d */
} Keep;

/* dE[word_j] += l_j * dm_r, dT[time_r] += dm_r */
static void backward(Tape *t, Node *y)
{
    const Keep *keep = y->data;
    const Param *p = y->in[0]->param;
    real *dtable = node_grad(t, y->in[0]), *dtime = y->n_in > 1 ? node_grad(t, y->in[1]) : NULL;
    RowsGradient g = keep->outer;
    g.dense = y->grad;
    if (g.outers == 0) {
        g.segments = 1;
        g.offset = keep->whole;
    }
    kernels()->sentence_scatter(&keep->rows, y->shape.d[1], keep->kappa, &g, p && p->zero_row, dtable, dtime);
}

static const OpDef def = {"sentence_sum", backward};

/* Do all words and times lie in their tables? The words of all rows lie between the first and the last. */
static bool inside(const SentenceRows *r, int64_t V, int64_t times, int64_t *row, int64_t *at)
{
    int64_t first = INT64_MAX, last = 0;
    for (int64_t i = 0; i < r->n; i++) {
        first = r->begin[i] < first && r->begin[i] < r->end[i] ? r->begin[i] : first;
        last = r->end[i] > last ? r->end[i] : last;
    }
    if (times && !op_ids_within(r->n, r->time, times, row)) return false;
    if (first >= last || op_ids_within(last - first, r->id + first, V, at)) return true;
    for (*row = 0; *row < r->n; ++*row)
        if (!op_ids_within(r->end[*row] - r->begin[*row], r->id + r->begin[*row], V, at)) return false;
    return true; /* a wrong word that no row holds */
}

static Node *refuse_outside(Tape *t, const Node *table, const Node *temporal, const SentenceRows *r)
{
    int64_t row = 0, at = -1;
    if (t->status != OK || inside(r, table->shape.d[0], temporal ? temporal->shape.d[0] : 0, &row, &at)) return NULL;
    if (at < 0) return op_refuse(t, "sentence_sum: time %d in %s", (int)r->time[row], op_shape_text(temporal));
    return op_refuse_as(t, ERR_DATA, "word %d of sentence %lld is not in the table of %lld rows",
                        (int)r->id[r->begin[row] + at], (long long)row, (long long)table->shape.d[0]);
}

/* m_r = sum_j l_j * E[word_j] + T[time_r]; rows' arrays are borrowed until the tape ends. */
Node *op_sentence_sum(Tape *t, Node *table, Node *temporal, const SentenceRows *rows)
{
    if (!op_is(table, 2)) return op_refuse(t, "sentence_sum of %s: two axes are wanted", op_shape_text(table));
    const int64_t d = table->shape.d[1];
    if (temporal && (!op_is(temporal, 2) || temporal->shape.d[1] != d || !rows->time))
        return op_refuse(t, "sentence_sum of %s with times %s", op_shape_text(table), op_shape_text(temporal));
    Node *refused = refuse_outside(t, table, temporal, rows);
    if (refused) return refused;
    bool ok;
    Node *y = tape_node(t, &def, SHAPE2(rows->n, d), temporal ? 2 : 1, (Node *[]){table, temporal}, &ok);
    if (!ok) return y;
    Keep *keep = y->data = tape_alloc(t, sizeof *keep);
    real *kappa = tape_alloc(t, (size_t)d * sizeof *kappa);
    if (!kappa) return y;
    *keep = (Keep){.rows = *rows, .kappa = kappa, .whole = {0, rows->n}};
    const real shift = rows->centred > 0 ? (real)(d + 1) / 2 : 0;
    for (int64_t k = 0; k < d; k++) kappa[k] = ((real)(k + 1) - shift) / (real)d;
    kernels()->sentence_sum(rows, d, kappa, table->value, temporal ? temporal->value : NULL, y->value);
    return y;
}

bool op_outer_gradient(Node *m, const real *weight, const real *vector, Segments s)
{
    if (m->op != &def || !m->needs_grad) return false;
    RowsGradient *g = &((Keep *)m->data)->outer;
    if (g->outers == OUTER_MOST || (g->outers && g->offset != s.offset)) return false;
    g->segments = s.n;
    g->offset = s.offset;
    g->weight[g->outers] = weight;
    g->vector[g->outers++] = vector;
    m->owes = true;
    return true;
}
