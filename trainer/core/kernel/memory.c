/* memory.c - the loops of memory networks. A strip of columns of the sum, or of the gradient, stays in registers while
 * the words go by; the rows of the table come from the first-level cache. */
#include "trainer/core/kernel/vector.h"

enum { STRIP = 4 };

/* Columns of one strip: vecs vectors, the last of which holds tail (1..LANES) numbers. */
typedef struct Strip {
    int64_t first, tail;
    int vecs;
} Strip;

static Strip strip_at(int64_t first, int64_t d)
{
    const int64_t left = d - first;
    if (left >= STRIP * LANES) return (Strip){first, LANES, STRIP};
    const int vecs = (int)((left + LANES - 1) / LANES);
    return (Strip){first, left - (vecs - 1) * LANES, vecs};
}

KERNEL_INLINE Vec get(const real *p, int v, int vecs, int64_t tail)
{
    return v == vecs - 1 ? vec_load_part(p + v * LANES, tail) : vec_load(p + v * LANES);
}

KERNEL_INLINE void put(real *p, int v, int vecs, int64_t tail, Vec x)
{
    if (v == vecs - 1)
        vec_store_part(p + v * LANES, tail, x);
    else
        vec_store(p + v * LANES, x);
}

/* l_jk = a_j + b_j kappa_k, a_j = 1 - j/J, b_j = 2j/J - 1; a bag of words has a = 1, b = 0; centred: a = 1,
 * b = 4 (j - (J + 1) / 2) / J. Made in registers, so that a word costs one load of its row. */
KERNEL_INLINE void weights(const SentenceRows *s, int64_t j, real step, Vec *a, Vec *b)
{
    const real share = (real)(j + 1) * step;
    const bool centred = s->centred > 0;
    *a = vec_all(s->position && !centred ? 1 - share : 1);
    *b = vec_all(!s->position ? 0 : centred ? 4 * share - 2 * (1 + step) : 2 * share - 1);
}

/* 1 / J */
KERNEL_INLINE real length_step(const SentenceRows *s, int64_t length)
{
    const int64_t J = s->centred > 0 ? s->centred : length;
    return J ? 1 / (real)J : 0;
}

KERNEL_INLINE void sum_strip(const int vecs, Strip c, const SentenceRows *s, int64_t d, const real *kappa,
                             const real *table, const real *temporal, real *out)
{
    Vec k[STRIP], sum[STRIP];
    KERNEL_UNROLL for (int v = 0; v < vecs; v++) k[v] = get(kappa + c.first, v, vecs, c.tail);
    for (int64_t r = 0; r < s->n; r++) {
        const int64_t J = s->end[r] - s->begin[r];
        const int32_t *word = s->id + s->begin[r];
        const real step = length_step(s, J);
        const real *time = temporal ? temporal + s->time[r] * d + c.first : NULL;
        KERNEL_UNROLL for (int v = 0; v < vecs; v++) sum[v] = time ? get(time, v, vecs, c.tail) : (Vec){0};
        for (int64_t j = 0; j < J; j++) {
            const real *e = table + word[j] * d + c.first;
            Vec a, b;
            weights(s, j, step, &a, &b);
            KERNEL_UNROLL for (int v = 0; v < vecs; v++) sum[v] += (a + b * k[v]) * get(e, v, vecs, c.tail);
        }
        KERNEL_UNROLL for (int v = 0; v < vecs; v++) put(out + r * d + c.first, v, vecs, c.tail, sum[v]);
    }
}

void LEVEL(kernel_sentence_sum)(const SentenceRows *s, int64_t d, const real *kappa, const real *table,
                                const real *temporal, real *out)
{
    for (int64_t first = 0; first < d; first += STRIP * LANES) {
        const Strip c = strip_at(first, d);
        switch (c.vecs) {
        case 1: sum_strip(1, c, s, d, kappa, table, temporal, out); break;
        case 2: sum_strip(2, c, s, d, kappa, table, temporal, out); break;
        case 3: sum_strip(3, c, s, d, kappa, table, temporal, out); break;
        default: sum_strip(4, c, s, d, kappa, table, temporal, out); break;
        }
    }
}

KERNEL_INLINE void gradient_of_row(const int vecs, Strip c, const RowsGradient *g, int64_t r, int64_t segment,
                                   int64_t d, Vec *dm)
{
    KERNEL_UNROLL for (int v = 0; v < vecs; v++) dm[v] =
        g->dense ? get(g->dense + r * d + c.first, v, vecs, c.tail) : (Vec){0};
    for (int o = 0; o < g->outers; o++) {
        const real *vector = g->vector[o] + segment * d + c.first;
        const Vec w = vec_all(g->weight[o][r]);
        KERNEL_UNROLL for (int v = 0; v < vecs; v++) dm[v] += w * get(vector, v, vecs, c.tail);
    }
}

/* dE[word_j] += l_j dm = a_j dm + b_j kappa dm */
KERNEL_INLINE void scatter_row(const int vecs, Strip c, const SentenceRows *s, int64_t r, int64_t d, const Vec *kappa,
                               const Vec *dm, bool zero_row, real *dtable)
{
    const int64_t J = s->end[r] - s->begin[r];
    const int32_t *word = s->id + s->begin[r];
    const real step = length_step(s, J);
    Vec kdm[STRIP];
    KERNEL_UNROLL for (int v = 0; v < vecs; v++) kdm[v] = kappa[v] * dm[v];
    for (int64_t j = 0; j < J; j++) {
        if (zero_row && word[j] == 0) continue;
        real *de = dtable + word[j] * d + c.first;
        Vec a, b;
        weights(s, j, step, &a, &b);
        KERNEL_UNROLL for (int v = 0; v < vecs; v++)
            put(de, v, vecs, c.tail, b * kdm[v] + (a * dm[v] + get(de, v, vecs, c.tail)));
    }
}

KERNEL_INLINE void scatter_strip(const int vecs, Strip c, const SentenceRows *s, int64_t d, const real *kappa,
                                 const RowsGradient *g, bool zero_row, real *dtable, real *dtemporal)
{
    Vec k[STRIP], dm[STRIP];
    KERNEL_UNROLL for (int v = 0; v < vecs; v++) k[v] = get(kappa + c.first, v, vecs, c.tail);
    for (int64_t i = 0; i < g->segments; i++)
        for (int64_t r = g->offset[i]; r < g->offset[i + 1]; r++) {
            gradient_of_row(vecs, c, g, r, i, d, dm);
            if (dtable) scatter_row(vecs, c, s, r, d, k, dm, zero_row, dtable);
            real *time = dtemporal ? dtemporal + s->time[r] * d + c.first : NULL;
            KERNEL_UNROLL for (int v = 0; time && v < vecs; v++)
                put(time, v, vecs, c.tail, get(time, v, vecs, c.tail) + dm[v]);
        }
}

void LEVEL(kernel_sentence_scatter)(const SentenceRows *s, int64_t d, const real *kappa, const RowsGradient *dout,
                                    bool zero_row, real *dtable, real *dtemporal)
{
    for (int64_t first = 0; first < d; first += STRIP * LANES) {
        const Strip c = strip_at(first, d);
        switch (c.vecs) {
        case 1: scatter_strip(1, c, s, d, kappa, dout, zero_row, dtable, dtemporal); break;
        case 2: scatter_strip(2, c, s, d, kappa, dout, zero_row, dtable, dtemporal); break;
        case 3: scatter_strip(3, c, s, d, kappa, dout, zero_row, dtable, dtemporal); break;
        default: scatter_strip(4, c, s, d, kappa, dout, zero_row, dtable, dtemporal); break;
        }
    }
}

/* One vector of partial sums a row, so that the rows' chains overlap. */
void LEVEL(kernel_rows_dot)(int64_t n, int64_t d, const real *x, int64_t ldx, const real *y, real *out)
{
    for (int64_t r = 0; r < n; r++, x += ldx) {
        Vec sum = {0};
        for (int64_t i = 0; i < d; i += LANES) sum += vec_get(x + i, d - i) * vec_get(y + i, d - i);
        out[r] = vec_sum(sum);
    }
}

KERNEL_INLINE void outer_strip(const int vecs, Strip c, int64_t n, const real *w, const real *y, real *x, int64_t ldx)
{
    Vec row[STRIP];
    KERNEL_UNROLL for (int v = 0; v < vecs; v++) row[v] = get(y + c.first, v, vecs, c.tail);
    for (int64_t r = 0; r < n; r++) {
        real *to = x + r * ldx + c.first;
        KERNEL_UNROLL for (int v = 0; v < vecs; v++) put(to, v, vecs, c.tail, get(to, v, vecs, c.tail) + w[r] * row[v]);
    }
}

void LEVEL(kernel_outer_add)(int64_t n, int64_t d, const real *w, const real *y, real *x, int64_t ldx)
{
    for (int64_t first = 0; first < d; first += STRIP * LANES) {
        const Strip c = strip_at(first, d);
        switch (c.vecs) {
        case 1: outer_strip(1, c, n, w, y, x, ldx); break;
        case 2: outer_strip(2, c, n, w, y, x, ldx); break;
        case 3: outer_strip(3, c, n, w, y, x, ldx); break;
        default: outer_strip(4, c, n, w, y, x, ldx); break;
        }
    }
}

uint32_t LEVEL(kernel_largest_id)(int64_t n, const int32_t *id)
{
    uint32_t most = 0;
    for (int64_t i = 0; i < n; i++) most = (uint32_t)id[i] > most ? (uint32_t)id[i] : most;
    return most;
}
