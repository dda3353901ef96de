/* crf.c - tags of a sequence as a whole: a linear chain (Lafferty et al. 2001), in log space and in double.
 *
 *   score(y) = from_y1 + sum_t x_t,y_t + sum_t A_y_t,y_t+1 + to_y_n        transitions: A, then rows `from` and `to`
 *   alpha_1 = from + x_1,  alpha_t,j = x_t,j + log sum_i exp(alpha_t-1,i + A_ij),  log Z = log sum_j exp(alpha_n,j +
 * to_j) Sequences are computed one by one, so that each one's numbers hang on it alone. */
#include <math.h>
#include <string.h>

#include "trainer/op/shape.h"

typedef struct Chain {
    int64_t K;
    const real *x, *a; /* (N,K)  (K + 2,K) */
    Segments s;
} Chain;

static const real *from_row(const Chain *c) { return c->a + c->K * c->K; }
static const real *to_row(const Chain *c) { return c->a + (c->K + 1) * c->K; }

/* log sum_i exp(v_i + step_i): step has a stride */
static double log_sum(int64_t K, const double *v, const real *step, int64_t stride)
{
    double most = -INFINITY, sum = 0;
    for (int64_t i = 0; i < K; i++) most = fmax(most, v[i] + (double)step[i * stride]);
    if (!isfinite(most)) return most; /* no way there, or what is no number */
    for (int64_t i = 0; i < K; i++) sum += exp(v[i] + (double)step[i * stride] - most);
    return most + log(sum);
}

/* alpha (n,K) of the sequence whose first row is x; its log Z. n > 0. */
static double forward(const Chain *c, int64_t n, const real *x, double *alpha)
{
    const int64_t K = c->K;
    for (int64_t j = 0; j < K; j++) alpha[j] = (double)from_row(c)[j] + (double)x[j];
    for (int64_t t = 1; t < n; t++)
        for (int64_t j = 0; j < K; j++)
            alpha[t * K + j] = (double)x[t * K + j] + log_sum(K, alpha + (t - 1) * K, c->a + j, K);
    return log_sum(K, alpha + (n - 1) * K, to_row(c), 1);
}

static double score(const Chain *c, int64_t n, const real *x, const int32_t *tag)
{
    double sum = (double)from_row(c)[tag[0]] + (double)to_row(c)[tag[n - 1]];
    for (int64_t t = 0; t < n; t++) sum += (double)x[t * c->K + tag[t]];
    for (int64_t t = 1; t < n; t++) sum += (double)c->a[tag[t - 1] * c->K + tag[t]];
    return sum;
}

/* d log Z: beta_t,i = log of all that may follow tag i at t; p_t,i = exp(alpha + beta - log Z) to dx, and
 * exp(alpha_t-1,i + A_ij + x_t,j + beta_t,j - log Z), the expected uses of A_ij, to da. beta, next: (K) scratch. */
static void expect(const Chain *c, int64_t n, const real *x, const double *alpha, double all, double *beta,
                   double *next, double *dx, double *da)
{
    const int64_t K = c->K;
    for (int64_t i = 0; i < K; i++) beta[i] = (double)to_row(c)[i];
    for (int64_t i = 0; i < K; i++) da[(K + 1) * K + i] += exp(alpha[(n - 1) * K + i] + beta[i] - all);
    for (int64_t t = n - 1;; t--) {
        for (int64_t j = 0; j < K; j++) dx[t * K + j] += exp(alpha[t * K + j] + beta[j] - all);
        if (t == 0) break;
        for (int64_t j = 0; j < K; j++) next[j] = beta[j] + (double)x[t * K + j];
        for (int64_t i = 0; i < K; i++)
            for (int64_t j = 0; j < K; j++)
                da[i * K + j] += exp(alpha[(t - 1) * K + i] + (double)c->a[i * K + j] + next[j] - all);
        for (int64_t i = 0; i < K; i++) beta[i] = log_sum(K, next, c->a + i * K, 1);
    }
    for (int64_t j = 0; j < K; j++) da[K * K + j] += exp(alpha[j] + beta[j] - all);
}

/* d score(y), with a minus. */
static void observe(const Chain *c, int64_t n, const int32_t *tag, double *dx, double *da)
{
    const int64_t K = c->K;
    da[K * K + tag[0]] -= 1;
    da[(K + 1) * K + tag[n - 1]] -= 1;
    for (int64_t t = 0; t < n; t++) dx[t * K + tag[t]] -= 1;
    for (int64_t t = 1; t < n; t++) da[tag[t - 1] * K + tag[t]] -= 1;
}

static int64_t longest(Segments s)
{
    int64_t most = 0;
    for (int64_t i = 0; i < s.n; i++)
        if (s.offset[i + 1] - s.offset[i] > most) most = s.offset[i + 1] - s.offset[i];
    return most;
}

/* False, and the tape is marked, when shapes or tags do not fit. */
static bool chain_of(Chain *c, Tape *t, const Node *x, const Node *transitions, Segments s, const int32_t *tag)
{
    if (tape_status(t) != OK) return false;
    int64_t at;
    const int64_t K = op_is(x, 2) ? x->shape.d[1] : 0;
    if (K < 1 || !op_is(transitions, 2) || transitions->shape.d[0] != K + 2 || transitions->shape.d[1] != K ||
        !op_segments_cover(s, x->shape.d[0])) {
        (void)op_refuse(t, "crf of %s with transitions %s over %lld sequences", op_shape_text(x),
                        op_shape_text(transitions), (long long)s.n);
        return false;
    }
    if (tag && !op_ids_within(x->shape.d[0], tag, K, &at)) {
        (void)op_refuse_as(t, ERR_DATA, "tag %d of position %lld is not one of the %lld tags 0 to %lld", (int)tag[at],
                           (long long)at, (long long)K, (long long)K - 1);
        return false;
    }
    *c = (Chain){K, x->value, transitions->value, s};
    return true;
}

typedef struct Keep {
    double *dx, *da; /* of the loss, for d loss = 1 */
} Keep;

static void add_scaled(int64_t n, real d, const double *from, real *to)
{
    for (int64_t i = 0; to && i < n; i++) to[i] += d * (real)from[i];
}

static void backward(Tape *t, Node *y)
{
    const Keep *k = y->data;
    add_scaled(shape_count(&y->in[0]->shape), y->grad[0], k->dx, node_grad(t, y->in[0]));
    add_scaled(shape_count(&y->in[1]->shape), y->grad[0], k->da, node_grad(t, y->in[1]));
}

static const OpDef def = {"crf_loss", backward};

static double *zeros(Tape *t, int64_t n)
{
    double *v = tape_alloc(t, (size_t)n * sizeof *v);
    if (v) memset(v, 0, (size_t)n * sizeof *v);
    return v;
}

/* sum over the sequences of log Z - score(tag) */
Node *op_crf_loss(Tape *t, Node *x, Node *transitions, const int32_t *tag, Segments s, real *loss)
{
    Chain c;
    bool ok;
    if (!chain_of(&c, t, x, transitions, s, tag)) return tape_node(t, &def, SHAPE1(1), 0, NULL, &ok);
    Node *y = tape_node(t, &def, SHAPE1(1), 2, (Node *[]){x, transitions}, &ok);
    if (!ok) return y;
    const int64_t K = c.K;
    Keep *k = y->data = tape_alloc(t, sizeof *k);
    double *dx = y->needs_grad ? zeros(t, s.offset[s.n] * K) : NULL, *da = y->needs_grad ? zeros(t, (K + 2) * K) : NULL;
    const ArenaMark mark = arena_mark(t->arena);
    double *alpha = tape_alloc(t, (size_t)(longest(s) * K) * sizeof *alpha),
           *beta = tape_alloc(t, (size_t)(2 * K) * sizeof *beta), sum = 0;
    if (t->status != OK) return y;
    *k = (Keep){dx, da};
    for (int64_t i = 0; i < s.n; i++) {
        const int64_t first = s.offset[i], n = s.offset[i + 1] - first;
        const real *at = c.x + first * K;
        const double all = n > 0 ? forward(&c, n, at, alpha) : 0, one = n > 0 ? all - score(&c, n, at, tag + first) : 0;
        if (loss) loss[i] = (real)one;
        sum += one;
        if (!y->needs_grad || n == 0) continue;
        expect(&c, n, at, alpha, all, beta, beta + K, dx + first * K, da);
        observe(&c, n, tag + first, dx + first * K, da);
    }
    arena_release(t->arena, mark);
    y->value[0] = (real)sum;
    return y;
}

/* Viterbi: best_t,j = x_t,j + max_i (best_t-1,i + A_ij); came (n,K): that i, the first of equal ones. */
static void decode(const Chain *c, int64_t n, const real *x, double *best, int32_t *came, int32_t *tag)
{
    const int64_t K = c->K;
    for (int64_t j = 0; j < K; j++) best[j] = (double)from_row(c)[j] + (double)x[j];
    for (int64_t t = 1; t < n; t++)
        for (int64_t j = 0; j < K; j++) {
            const double *before = best + (t - 1) * K;
            int64_t i = 0;
            for (int64_t k = 1; k < K; k++)
                if (before[k] + (double)c->a[k * K + j] > before[i] + (double)c->a[i * K + j]) i = k;
            came[t * K + j] = (int32_t)i;
            best[t * K + j] = (double)x[t * K + j] + before[i] + (double)c->a[i * K + j];
        }
    const double *last = best + (n - 1) * K;
    int64_t j = 0;
    for (int64_t k = 1; k < K; k++)
        if (last[k] + (double)to_row(c)[k] > last[j] + (double)to_row(c)[j]) j = k;
    for (int64_t t = n - 1; t >= 0; t--) {
        tag[t] = (int32_t)j;
        if (t > 0) j = came[t * K + j];
    }
}

void op_crf_rows(Tape *t, const Node *x, const Node *transitions, const int32_t *tag, Segments s, double *loss,
                 int32_t *guess)
{
    Chain c;
    if (!chain_of(&c, t, x, transitions, s, tag)) return;
    const int64_t K = c.K, room = longest(s) * K;
    const ArenaMark mark = arena_mark(t->arena);
    double *alpha = tape_alloc(t, (size_t)room * sizeof *alpha);
    int32_t *came = tape_alloc(t, (size_t)room * sizeof *came);
    for (int64_t i = 0; t->status == OK && i < s.n; i++) {
        const int64_t first = s.offset[i], n = s.offset[i + 1] - first;
        const real *at = c.x + first * K;
        if (n > 0 && guess) decode(&c, n, at, alpha, came, guess + first);
        if (loss) loss[i] = n > 0 ? forward(&c, n, at, alpha) - score(&c, n, at, tag + first) : 0;
    }
    arena_release(t->arena, mark);
}
