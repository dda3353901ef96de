/* symbols.c - two tables with open addressing, at most half full. */
#include "io/text/symbols.h"

#include <string.h>
#include <xxhash.h>

static int32_t *slots(const Buffer *b) { return (int32_t *)(void *)b->data; }
static uint64_t mask(const Buffer *b) { return b->size / sizeof(int32_t) - 1; }

/* Room for one more of n; *grown: all of them have to be put in again. */
static Status make_room(Buffer *b, int32_t n, bool *grown)
{
    const uint64_t have = b->size / sizeof(int32_t), want = have ? have * 2 : 256;
    *grown = ((uint64_t)n + 1) * 2 > have;
    if (!*grown) return OK;
    REQUIRE(n < INT32_MAX / 4, ERR_DATA, "more than %d different subwords", INT32_MAX / 4);
    TRY(buffer_reserve(b, want * sizeof(int32_t)));
    b->size = want * sizeof(int32_t);
    memset(b->data, 0, b->size);
    return OK;
}

/* --- Texts --- */

Word symbols_word(const Symbols *s, int32_t number)
{
    const size_t *ends = (const size_t *)(const void *)s->ends.data;
    const size_t at = number ? ends[number - 1] : 0;
    return (Word){s->text.data + at, ends[number] - at};
}

static uint64_t find(const Symbols *s, Word text)
{
    uint64_t at = XXH3_64bits(text.text, text.size) & mask(&s->slots);
    for (int32_t k; (k = slots(&s->slots)[at]); at = (at + 1) & mask(&s->slots)) {
        const Word have = symbols_word(s, k - 1);
        if (have.size == text.size && memcmp(have.text, text.text, text.size) == 0) break;
    }
    return at;
}

int32_t symbols_find(const Symbols *s, Word text) { return s->n ? slots(&s->slots)[find(s, text)] - 1 : -1; }

Status symbols_add(Symbols *s, Word text, int32_t *number)
{
    bool grown;
    *number = symbols_find(s, text);
    if (*number >= 0) return OK;
    TRY(make_room(&s->slots, s->n, &grown));
    for (int32_t i = 0; grown && i < s->n; i++) slots(&s->slots)[find(s, symbols_word(s, i))] = i + 1;
    const uint64_t at = find(s, text);
    const size_t end = s->text.size + text.size;
    TRY(buffer_reserve(&s->ends, s->ends.size + sizeof end));
    TRY(buffer_append(&s->text, text.text, text.size));
    TRY(buffer_append(&s->ends, &end, sizeof end));
    *number = s->n++;
    slots(&s->slots)[at] = s->n;
    return OK;
}

void symbols_clear(Symbols *s)
{
    s->text.size = s->ends.size = 0;
    s->n = 0;
    if (s->slots.size > 0) memset(s->slots.data, 0, s->slots.size);
}

void symbols_close(Symbols *s)
{
    buffer_close(&s->text);
    buffer_close(&s->ends);
    buffer_close(&s->slots);
    s->n = 0;
}

/* --- Pairs --- */

SymbolPair symbols_pair(const SymbolPairs *s, int32_t number)
{
    return ((const SymbolPair *)(const void *)s->pair.data)[number];
}

static uint64_t find_pair(const SymbolPairs *s, SymbolPair p)
{
    uint64_t at = XXH3_64bits(&p, sizeof p) & mask(&s->slots);
    for (int32_t k; (k = slots(&s->slots)[at]); at = (at + 1) & mask(&s->slots)) {
        const SymbolPair have = symbols_pair(s, k - 1);
        if (have.left == p.left && have.right == p.right) break;
    }
    return at;
}

int32_t symbols_find_pair(const SymbolPairs *s, int32_t left, int32_t right)
{
    return s->n ? slots(&s->slots)[find_pair(s, (SymbolPair){left, right})] - 1 : -1;
}

Status symbols_add_pair(SymbolPairs *s, int32_t left, int32_t right, int32_t *number)
{
    bool grown;
    const SymbolPair p = {left, right};
    *number = symbols_find_pair(s, left, right);
    if (*number >= 0) return OK;
    TRY(make_room(&s->slots, s->n, &grown));
    for (int32_t i = 0; grown && i < s->n; i++) slots(&s->slots)[find_pair(s, symbols_pair(s, i))] = i + 1;
    TRY(buffer_append(&s->pair, &p, sizeof p));
    *number = s->n++;
    slots(&s->slots)[find_pair(s, p)] = s->n;
    return OK;
}

void symbols_close_pairs(SymbolPairs *s)
{
    buffer_close(&s->pair);
    buffer_close(&s->slots);
    s->n = 0;
}
