/* vocab_builder.c - counts words in bounded memory and puts them in order.
 *
 * Nothing is pruned on the way: what is dropped would depend on who saw which part of the text. When the words do not
 * fit, the user is told what makes fewer of them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "io/text/vocab.h"
#include "io/text/vocab_words.h"

typedef struct Entry {
    uint64_t hash;
    int64_t count;
    uint64_t at; /* of the word in text, which ends at a 0 byte */
} Entry;

struct VocabBuilder {
    const char *name;
    size_t memory;
    Buffer text, entries, slots; /* words with their 0 bytes; Entry; uint32_t entry + 1, 0 is free */
    int64_t n;
    uint64_t mask;
};

static Entry *entries(const VocabBuilder *b) { return (Entry *)(void *)b->entries.data; }
static uint32_t *slots(const VocabBuilder *b) { return (uint32_t *)(void *)b->slots.data; }

Status vocab_builder_open(VocabBuilder **out, Arena *run, const char *name, size_t memory)
{
    VocabBuilder *b;
    TRY_NEW(b, run, 1);
    b->name = arena_text(run, name);
    if (!b->name) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    b->memory = memory;
    *out = b;
    return OK;
}

void vocab_builder_close(VocabBuilder *b)
{
    if (!b) return;
    buffer_close(&b->text);
    buffer_close(&b->entries);
    buffer_close(&b->slots);
    b->n = 0;
    b->mask = 0;
}

int64_t vocab_builder_words(const VocabBuilder *b) { return b->n; }

/* Where the word is, or the free slot for it. The table is never full. */
static uint64_t find(const VocabBuilder *b, uint64_t hash, const char *word, size_t size)
{
    uint64_t at = hash & b->mask;
    for (uint32_t e; (e = slots(b)[at]); at = (at + 1) & b->mask) {
        const Entry *entry = entries(b) + e - 1;
        const char *text = b->text.data + entry->at;
        if (entry->hash == hash && strncmp(text, word, size) == 0 && text[size] == '\0') break;
    }
    return at;
}

/* Twice the slots; they are kept at most two thirds full. */
static Status grow(VocabBuilder *b)
{
    const uint64_t n = b->n ? (b->mask + 1) * 2 : 1024;
    Buffer wide = {0};
    TRY(buffer_reserve(&wide, n * sizeof(uint32_t)));
    memset(wide.data, 0, n * sizeof(uint32_t));
    buffer_close(&b->slots);
    b->slots = wide;
    b->slots.size = n * sizeof(uint32_t);
    b->mask = n - 1;
    for (int64_t i = 0; i < b->n; i++) {
        uint64_t at = entries(b)[i].hash & b->mask;
        while (slots(b)[at]) at = (at + 1) & b->mask;
        slots(b)[at] = (uint32_t)(i + 1);
    }
    return OK;
}

static Status insert(VocabBuilder *b, uint64_t hash, const char *word, size_t size, int64_t count)
{
    const size_t used = b->text.size + b->entries.size + b->slots.size + size + 1 + sizeof(Entry);
    REQUIRE(used <= b->memory && b->n < (int64_t)UINT32_MAX - 1, ERR_DATA,
            "the vocabulary `%s` outgrew its memory of %zu bytes at %" PRId64
            " different words, the last one \"%.*s\": lower-case the text, set `numbers: zero`, or allow more memory",
            b->name, b->memory, b->n, (int)(size < 64 ? size : 64), word);
    const Entry e = {hash, count, b->text.size};
    TRY(buffer_reserve(&b->entries, b->entries.size + sizeof e));
    TRY(buffer_append(&b->text, word, size));
    TRY(buffer_append(&b->text, "", 1));
    TRY(buffer_append(&b->entries, &e, sizeof e));
    slots(b)[find(b, hash, word, size)] = (uint32_t)(++b->n);
    return OK;
}

Status vocab_builder_add(VocabBuilder *b, const char *word, size_t size, int64_t count)
{
    REQUIRE(size > 0 && !memchr(word, 0, size) && count >= 0, ERR_INTERNAL,
            "the vocabulary `%s` was given an empty word or one with a 0 byte", b->name);
    if ((uint64_t)b->n * 3 >= b->slots.size / sizeof(uint32_t) * 2) TRY(grow(b));
    const uint64_t hash = XXH3_64bits(word, size);
    const uint32_t found = slots(b)[find(b, hash, word, size)];
    if (!found) return insert(b, hash, word, size, count);
    int64_t *total = &entries(b)[found - 1].count;
    *total = *total > INT64_MAX - count ? INT64_MAX : *total + count;
    return OK;
}

int64_t vocab_builder_count(const VocabBuilder *b, const char *word, size_t size)
{
    if (b->n == 0) return 0;
    const uint32_t found = slots(b)[find(b, XXH3_64bits(word, size), word, size)];
    return found ? entries(b)[found - 1].count : 0;
}

/* Each word as: count (8 bytes), size (4 bytes), the word. All ranks run the same program on the same kind of host. */
Status vocab_builder_write(const VocabBuilder *b, Buffer *out)
{
    for (int64_t i = 0; i < b->n; i++) {
        const Entry *e = entries(b) + i;
        const char *word = b->text.data + e->at;
        const uint32_t size = (uint32_t)strlen(word);
        TRY(buffer_append(out, &e->count, sizeof e->count));
        TRY(buffer_append(out, &size, sizeof size));
        TRY(buffer_append(out, word, size));
    }
    return OK;
}

Status vocab_builder_merge(VocabBuilder *b, const void *bytes, size_t size)
{
    const char *at = bytes, *end = at + size;
    while (at < end) {
        int64_t count;
        uint32_t length;
        REQUIRE((size_t)(end - at) >= sizeof count + sizeof length, ERR_INTERNAL,
                "the words of another rank for the vocabulary `%s` end early", b->name);
        memcpy(&count, at, sizeof count);
        memcpy(&length, at + sizeof count, sizeof length);
        at += sizeof count + sizeof length;
        REQUIRE(length > 0 && length <= (size_t)(end - at) && count >= 0 && !memchr(at, 0, length), ERR_INTERNAL,
                "the words of another rank for the vocabulary `%s` are damaged", b->name);
        TRY(vocab_builder_add(b, at, length, count));
        at += length;
    }
    return OK;
}

typedef struct Ranked {
    const char *word;
    int64_t count;
} Ranked;

/* Most frequent first, then by bytes: strcmp compares as unsigned char, whatever the locale. */
static int by_rank(const void *a, const void *b)
{
    const Ranked *x = a, *y = b;
    if (x->count != y->count) return x->count > y->count ? -1 : 1;
    return strcmp(x->word, y->word);
}

static int64_t saturating_add(int64_t a, int64_t b) { return a > INT64_MAX - b ? INT64_MAX : a + b; }

/* The words that stay, in order, in ranked; the number of them; the occurrences of the others. */
static int64_t choose(const VocabBuilder *b, const VocabLimits *l, Ranked *ranked, int64_t *left_out)
{
    int64_t n = 0;
    *left_out = 0;
    for (int64_t i = 0; i < b->n; i++) {
        const Entry *e = entries(b) + i;
        const char *word = b->text.data + e->at;
        if (e->count < l->min_count || (l->special && vocab_is_special(word, strlen(word))))
            *left_out = saturating_add(*left_out, e->count);
        else
            ranked[n++] = (Ranked){word, e->count};
    }
    if (n > 0) qsort(ranked, (size_t)n, sizeof *ranked, by_rank);
    const int64_t kept = l->max_size > 0 && n > l->max_size ? l->max_size : n;
    for (int64_t i = kept; i < n; i++) *left_out = saturating_add(*left_out, ranked[i].count);
    return kept;
}

static Status build_in(Vocab **out, Arena *run, Arena *scratch, const VocabBuilder *b, const VocabLimits *l)
{
    Ranked *ranked;
    TRY_NEW(ranked, scratch, b->n + 1);
    int64_t left_out;
    const int64_t kept = choose(b, l, ranked, &left_out), first = l->special ? VOCAB_SPECIALS : 0;
    int64_t *offset, *count;
    char *bytes;
    TRY_NEW(offset, scratch, first + kept + 1);
    TRY_NEW(count, scratch, first + kept + 1);
    TRY_NEW(bytes, scratch, (int64_t)b->text.size + 64);
    for (int64_t i = 0; i < first + kept; i++) {
        const char *word = i < first ? vocab_special_word((int)i) : ranked[i - first].word;
        const size_t size = strlen(word);
        memcpy(bytes + offset[i], word, size);
        offset[i + 1] = offset[i] + (int64_t)size;
        count[i] = i < first ? 0 : ranked[i - first].count;
    }
    if (l->special) count[VOCAB_UNK] = left_out;
    const VocabFlat flat = {l->special, first + kept, (size_t)offset[first + kept], bytes, offset, count};
    return vocab_from_flat(out, run, b->name, &flat);
}

Status vocab_build(Vocab **out, Arena *run, const VocabBuilder *b, const VocabLimits *limits)
{
    Arena scratch = {0};
    const Status st = build_in(out, run, &scratch, b, limits);
    arena_close(&scratch);
    return st;
}
