/* additive.c - scores with a hidden layer, one query against its keys: e_r = v . tanh(key_r + query + coverage_r c). */
#include "trainer/core/kernel/vector.h"

KERNEL_INLINE Vec hidden(int64_t i, int64_t a, const real *key, const real *query, const real *coverage, const real *c,
                         int64_t r)
{
    const Vec x = vec_get(key + i, a - i) + vec_get(query + i, a - i);
    return vec_tanh(coverage ? coverage[r] * vec_get(c + i, a - i) + x : x);
}

void LEVEL(kernel_additive_score)(int64_t n, int64_t a, const real *key, const real *query, const real *v,
                                  const real *coverage, const real *c, real *e)
{
    for (int64_t r = 0; r < n; r++, key += a) {
        Vec sum = {0};
        for (int64_t i = 0; i < a; i += LANES) sum += vec_get(v + i, a - i) * hidden(i, a, key, query, coverage, c, r);
        e[r] = vec_sum(sum);
    }
}

/* t = tanh(...): dx = de v (1 - t^2), dv += de t */
void LEVEL(kernel_additive_score_backward)(const AdditiveRows *s)
{
    const int64_t a = s->a;
    for (int64_t r = 0; r < s->n; r++) {
        const real de = s->de[r], *key = s->key + r * a;
        real *d_key = s->d_key + r * a;
        Vec to_coverage = {0};
        for (int64_t i = 0; i < a; i += LANES) {
            const int64_t left = a - i;
            const Vec t = hidden(i, a, key, s->query, s->coverage, s->c, r);
            const Vec dx = de * vec_get(s->v + i, left) * (1 - t * t);
            vec_put(s->dv + i, left, de * t + vec_get(s->dv + i, left));
            vec_put(s->d_query + i, left, vec_get(s->d_query + i, left) + dx);
            vec_put(d_key + i, left, vec_get(d_key + i, left) + dx);
            if (s->coverage) {
                vec_put(s->dc + i, left, s->coverage[r] * dx + vec_get(s->dc + i, left));
                to_coverage += dx * vec_get(s->c + i, left);
            }
        }
        if (s->coverage) s->d_coverage[r] += vec_sum(to_coverage);
    }
}
