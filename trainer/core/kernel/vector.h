/* vector.h - numbers side by side, as many as a register of this level holds, and exp, tanh, sigmoid of them.
 *
 * The only place where the program leaves plain C: vectors are those of gcc and clang, because a compiler does not keep
 * a tile of sums in registers when it is written with arrays. A part of a vector (the end of a row) goes through the
 * same arithmetic as a full one, so that an element's result does not depend on its place. */
#ifndef TRAINER_CORE_KERNEL_VECTOR_H
#define TRAINER_CORE_KERNEL_VECTOR_H
#include <math.h>
#include <string.h>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "trainer/core/kernel/level.h"

#if defined(__AVX512F__)
enum { VEC_BYTES = 64 };
#elif defined(__AVX2__)
enum { VEC_BYTES = 32 };
#else
enum { VEC_BYTES = 16 };
#endif
enum { LANES = VEC_BYTES / (int)sizeof(real) };

#define KERNEL_INLINE   static inline __attribute__((always_inline))
#define KERNEL_NOINLINE static __attribute__((noinline))
#define KERNEL_UNROLL   _Pragma("GCC unroll 8")

#ifdef MNEME_DOUBLE
typedef int64_t LaneInt;
#else
typedef int32_t LaneInt;
#endif
typedef real Vec __attribute__((vector_size(VEC_BYTES)));
typedef LaneInt IntVec __attribute__((vector_size(VEC_BYTES)));
typedef real VecInMemory __attribute__((vector_size(VEC_BYTES), aligned(sizeof(real)), may_alias));

KERNEL_INLINE Vec vec_all(real x) { return x - (Vec){0}; }
KERNEL_INLINE Vec vec_load(const real *p) { return *(const VecInMemory *)p; }
KERNEL_INLINE void vec_store(real *p, Vec v) { *(VecInMemory *)p = v; }
KERNEL_INLINE Vec vec_select(IntVec mask, Vec yes, Vec no)
{
    return (Vec)((mask & (IntVec)yes) | (~mask & (IntVec)no));
}

/* The first n (0 < n < LANES) numbers, the others 0; and back. */
#if defined(__AVX512F__) && !defined(MNEME_DOUBLE)
KERNEL_INLINE Vec vec_load_part(const real *p, int64_t n)
{
    return _mm512_maskz_loadu_ps((__mmask16)((1u << n) - 1), p);
}
KERNEL_INLINE void vec_store_part(real *p, int64_t n, Vec v)
{
    _mm512_mask_storeu_ps(p, (__mmask16)((1u << n) - 1), v);
}
#elif defined(__AVX2__) && !defined(MNEME_DOUBLE)
KERNEL_INLINE __m256i vec_part(int64_t n)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
KERNEL_INLINE Vec vec_load_part(const real *p, int64_t n) { return _mm256_maskload_ps(p, vec_part(n)); }
KERNEL_INLINE void vec_store_part(real *p, int64_t n, Vec v) { _mm256_maskstore_ps(p, vec_part(n), v); }
#else
KERNEL_INLINE Vec vec_load_part(const real *p, int64_t n)
{
    Vec v = {0};
    memcpy(&v, p, (size_t)n * sizeof(real));
    return v;
}
KERNEL_INLINE void vec_store_part(real *p, int64_t n, Vec v) { memcpy(p, &v, (size_t)n * sizeof(real)); }
#endif

/* n >= LANES: a full one */
KERNEL_INLINE Vec vec_get(const real *p, int64_t n) { return n >= LANES ? vec_load(p) : vec_load_part(p, n); }
KERNEL_INLINE void vec_put(real *p, int64_t n, Vec v)
{
    if (n >= LANES)
        vec_store(p, v);
    else
        vec_store_part(p, n, v);
}

/* Neither drops a NaN that is in x. */
KERNEL_INLINE Vec vec_at_most(Vec x, real high)
{
#if defined(__AVX512F__) && !defined(MNEME_DOUBLE)
    return _mm512_min_ps(vec_all(high), x);
#elif defined(__AVX2__) && !defined(MNEME_DOUBLE)
    return _mm256_min_ps(vec_all(high), x);
#else
    return vec_select(x > vec_all(high), vec_all(high), x);
#endif
}
KERNEL_INLINE Vec vec_at_least(Vec x, real low)
{
#if defined(__AVX512F__) && !defined(MNEME_DOUBLE)
    return _mm512_max_ps(vec_all(low), x);
#elif defined(__AVX2__) && !defined(MNEME_DOUBLE)
    return _mm256_max_ps(vec_all(low), x);
#else
    return vec_select(x < vec_all(low), vec_all(low), x);
#endif
}

/* Always in the same order: halves are added to halves. */
KERNEL_INLINE real vec_sum(Vec v)
{
#if defined(__AVX512F__) && !defined(MNEME_DOUBLE)
    const __m256 w = _mm256_add_ps(_mm512_castps512_ps256(v), _mm512_extractf32x8_ps(v, 1));
    const __m128 q = _mm_add_ps(_mm256_castps256_ps128(w), _mm256_extractf128_ps(w, 1));
    const __m128 h = _mm_add_ps(q, _mm_movehl_ps(q, q));
    return _mm_cvtss_f32(_mm_add_ss(h, _mm_movehdup_ps(h)));
#endif
    real x[LANES];
    vec_store(x, v);
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++) x[i] += x[i + half];
    return x[0];
}

#ifdef MNEME_DOUBLE
KERNEL_INLINE Vec vec_exp(Vec x)
{
    for (int i = 0; i < LANES; i++) x[i] = exp(x[i]);
    return x;
}
KERNEL_INLINE Vec vec_tanh(Vec x)
{
    for (int i = 0; i < LANES; i++) x[i] = tanh(x[i]);
    return x;
}
#else
/* x = n log 2 + r, |r| <= log(2) / 2; *rest = exp(r) - 1 (a polynomial, error 3e-9), result n as 2^(n-1). */
KERNEL_INLINE Vec vec_exp_parts(Vec x, Vec *rest)
{
    const Vec shift = vec_all(12582912.0f); /* 1.5 * 2^23: adding it rounds to an integer in the low bits */
    const Vec shifted = x * 1.44269504f + shift;
    const Vec n = shifted - shift;
    const Vec r = (x - n * 0.693359375f) - n * -2.12194440e-4f; /* log 2 in two parts, the first exact in n * part */
    Vec p = vec_all(0.0013814223665726622f);
    p = p * r + 0.00836889863048622f;
    p = p * r + 0.04166840569633164f;
    p = p * r + 0.16666519130408375f;
    p = p * r + 0.49999993346517707f;
    *rest = p * (r * r) + r;
    return (Vec)((((IntVec)shifted - (IntVec)shift) + 126) << 23);
}
KERNEL_INLINE Vec vec_exp(Vec x)
{
    Vec rest;
    const Vec half = vec_exp_parts(vec_at_least(vec_at_most(x, 89.0f), -87.3f), &rest);
    return (half * rest + half) * 2.0f; /* doubled last, so that only what is too large becomes inf */
}
/* e = exp(2x) - 1, tanh x = e / (e + 2): exact in the limit x -> 0. Beyond 9.02 the float nearest to tanh is 1. */
KERNEL_INLINE Vec vec_tanh(Vec x)
{
    Vec rest;
    const Vec half = vec_exp_parts(vec_at_least(vec_at_most(x, 9.02f), -9.02f) * 2.0f, &rest);
    const Vec e = half * rest + (half - 0.5f); /* (exp(2x) - 1) / 2 */
    return e / (e + 1.0f);
}
#endif
/* 1 / (1 + exp(-x)) */
KERNEL_INLINE Vec vec_sigmoid(Vec x) { return 1 / (1 + vec_exp(-x)); }

#endif
