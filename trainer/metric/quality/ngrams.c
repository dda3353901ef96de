/* ngrams.c - n-grams get numbers: that of order n comes from the number of order n - 1 and one unit more. Sorting
 * brings those that are alike together; no hashing, so nothing can collide. */
#include "trainer/metric/quality/ngrams.h"

#include <stdlib.h>
#include <string.h>

int64_t ngrams_total(int64_t n, int order) { return n >= order ? n - order + 1 : 0; }

Status ngrams_open(Ngrams *out, Arena *arena, int texts, const NgramText *text)
{
    *out = (Ngrams){.texts = texts, .text = text};
    for (int t = 0; t < texts; t++) out->n += text[t].n;
    REQUIRE(out->n < UINT32_MAX, ERR_DATA, "texts of %lld units; fewer than 2^32 are possible", (long long)out->n);
    TRY_NEW(out->unit, arena, out->n);
    TRY_NEW(out->group, arena, out->n);
    TRY_NEW(out->left, arena, out->n);
    TRY_NEW(out->owner, arena, out->n);
    TRY_NEW(out->key, arena, out->n);
    int64_t at = 0;
    for (int t = 0; t < texts; t++)
        for (int64_t i = 0; i < text[t].n; i++, at++) {
            out->unit[at] = text[t].unit[i];
            out->left[at] = text[t].n - i;
            out->owner[at] = t;
        }
    return OK;
}

static int by_key(const void *a, const void *b)
{
    const uint64_t x = ((const NgramKey *)a)->key, y = ((const NgramKey *)b)->key;
    return (x > y) - (x < y);
}

void ngrams_next(Ngrams *g)
{
    g->order++;
    g->keys = g->next = 0;
    for (int64_t i = 0; i < g->n; i++)
        if (g->left[i] >= g->order)
            g->key[g->keys++] = (NgramKey){(uint64_t)g->group[i] << 32 | g->unit[i + g->order - 1], i};
    qsort(g->key, (size_t)g->keys, sizeof *g->key, by_key);
    uint32_t group = 0;
    for (int64_t i = 0; i < g->keys; i++) {
        if (i > 0 && g->key[i].key != g->key[i - 1].key) group++;
        g->group[g->key[i].at] = group;
    }
    g->different = g->keys > 0 ? group + 1 : 0;
}

bool ngrams_count(Ngrams *g, int64_t *count)
{
    if (g->next == g->keys) return false;
    const uint64_t key = g->key[g->next].key;
    memset(count, 0, (size_t)g->texts * sizeof *count);
    for (; g->next < g->keys && g->key[g->next].key == key; g->next++) count[g->owner[g->key[g->next].at]]++;
    return true;
}

typedef struct Place {
    Token token;
    uint32_t *number;
} Place;

static int by_token(const void *a, const void *b)
{
    const Token *x = &((const Place *)a)->token, *y = &((const Place *)b)->token;
    if (x->n != y->n) return x->n < y->n ? -1 : 1;
    return memcmp(x->at, y->at, (size_t)x->n * sizeof *x->at);
}

Status ngrams_intern(Arena *arena, int texts, const Tokens *tokens, NgramText *out)
{
    int64_t n = 0, at = 0;
    for (int t = 0; t < texts; t++) n += tokens[t].n;
    uint32_t *number;
    Place *place;
    TRY_NEW(number, arena, n);
    TRY_NEW(place, arena, n);
    for (int t = 0; t < texts; t++) {
        out[t] = (NgramText){tokens[t].n, number + at};
        for (int64_t i = 0; i < tokens[t].n; i++, at++) place[at] = (Place){tokens[t].token[i], &number[at]};
    }
    qsort(place, (size_t)n, sizeof *place, by_token);
    uint32_t next = 0;
    for (int64_t i = 0; i < n; i++) {
        if (i > 0 && by_token(&place[i - 1], &place[i]) != 0) next++;
        *place[i].number = next;
    }
    return OK;
}
