/* guide.c - which word of the source each word of the target comes from, where both are one language: the
 * cheapest edits (Levenshtein 1966). A word kept costs nothing; another in its place costs more than one taken out or
 * put in, but less than both: so as many words as can be are kept, and what stands between them is replaced. */
#include "trainer/generate/guide.h"

#include <string.h>

#include "io/text/vocab.h"

enum { REPLACED = 3, ONE_LESS = 2, ONE_MORE = 2 };

typedef struct Side {
    const Ragged *words, *chars; /* chars: of each word; NULL: there are none */
    int64_t first, n;            /* of the example's words */
} Side;

static Side side(const Batch *b, Role words, int64_t example)
{
    Side s = {.words = batch_role(b, words), .chars = batch_role_of(b, ROLE_SPELLING, words)};
    s.first = s.words->offset[0][example];
    s.n = s.words->offset[0][example + 1] - s.first;
    return s;
}

/* Unknown words are the same where all of their characters are. */
static bool same(const Side *s, int64_t i, const Side *t, int64_t j)
{
    const int64_t a = s->first + i, b = t->first + j;
    if (s->words->id[a] != t->words->id[b]) return false;
    if (s->words->id[a] != VOCAB_UNK) return true;
    if (!s->chars || !t->chars) return false;
    const int64_t *at = s->chars->offset[1] + a, *bt = t->chars->offset[1] + b;
    return at[1] - at[0] == bt[1] - bt[0] &&
           memcmp(s->chars->id + at[0], t->chars->id + bt[0], (size_t)(at[1] - at[0]) * sizeof *s->chars->id) == 0;
}

static int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }

static int32_t replaced(const Side *s, int64_t i, const Side *t, int64_t j) { return same(s, i, t, j) ? 0 : REPLACED; }

/* cost (s + 1, t + 1): of the edits that make the first j words of the target of the first i of the source. */
static void fill(const Side *s, const Side *t, int32_t *cost)
{
    const int64_t w = t->n + 1;
    for (int64_t i = 0; i <= s->n; i++)
        for (int64_t j = 0; j <= t->n; j++) {
            int32_t *c = cost + i * w + j;
            if (i == 0 || j == 0)
                *c = (int32_t)(i * ONE_LESS + j * ONE_MORE);
            else
                *c = least(c[-w - 1] + replaced(s, i - 1, t, j - 1), least(c[-w] + ONE_LESS, c[-1] + ONE_MORE));
        }
}

/* Back along the cheapest way; of equal ones that which keeps or replaces. */
static void trace(const Side *s, const Side *t, const int32_t *cost, int32_t *wanted)
{
    const int64_t w = t->n + 1;
    int64_t i = s->n, j = t->n;
    while (i > 0 && j > 0) {
        const int32_t *c = cost + i * w + j;
        if (*c == c[-w - 1] + replaced(s, i - 1, t, j - 1)) {
            wanted[--j] = (int32_t)--i;
        } else if (*c == c[-w] + ONE_LESS) {
            i--;
        } else {
            j--;
        }
    }
}

Status guide_wanted(Arena *arena, const Batch *b, int32_t **wanted)
{
    const Ragged *target = batch_role(b, ROLE_TARGET);
    const int64_t N = target->count[1] + b->B;
    TRY_NEW(*wanted, arena, N);
    for (int64_t p = 0; p < N; p++) (*wanted)[p] = -1;
    for (int64_t e = 0; e < b->B; e++) {
        const Side s = side(b, ROLE_INPUT, e), t = side(b, ROLE_TARGET, e);
        const ArenaMark mark = arena_mark(arena);
        int32_t *cost;
        TRY_NEW(cost, arena, (s.n + 1) * (t.n + 1));
        fill(&s, &t, cost);
        trace(&s, &t, cost, *wanted + t.first + e); /* each example before has an end more than words */
        arena_release(arena, mark);
    }
    return OK;
}
