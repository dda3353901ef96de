/* vocab.c - the finished vocabulary: words laid end to end, found by an open hash table. */
#include "io/text/vocab.h"

#include <inttypes.h>
#include <string.h>
#include <xxhash.h>

#include "comm/utf8.h"
#include "io/file/hash.h"
#include "io/text/vocab_words.h"

struct Vocab {
    int64_t n;
    bool special;
    char *text;      /* each word followed by a 0 byte */
    int64_t *offset; /* (n + 1) of word i in text */
    int64_t *count;
    int32_t *slot; /* id + 1, 0 is free; the special words are not in the table */
    uint64_t mask;
    char digest[HASH_HEX];
};

static const char *const specials[VOCAB_SPECIALS] = {"<pad>", "<unk>", "<s>", "</s>"};
static const int64_t WORDS_MAX = INT32_MAX / 2;

int64_t vocab_size(const Vocab *v) { return v->n; }
bool vocab_special(const Vocab *v) { return v->special; }
const char *vocab_digest(const Vocab *v) { return v->digest; }
int64_t vocab_count(const Vocab *v, int64_t id) { return id >= 0 && id < v->n ? v->count[id] : 0; }

const char *vocab_word(const Vocab *v, int64_t id)
{
    return id >= 0 && id < v->n ? v->text + v->offset[id] : specials[VOCAB_UNK];
}

static size_t word_size(const Vocab *v, int64_t id) { return (size_t)(v->offset[id + 1] - v->offset[id] - 1); }

const char *vocab_special_word(int id) { return specials[id]; }

bool vocab_is_special(const char *word, size_t size)
{
    for (int i = 0; i < VOCAB_SPECIALS; i++)
        if (strlen(specials[i]) == size && memcmp(specials[i], word, size) == 0) return true;
    return false;
}

/* The slot that holds the word, or the free one where it belongs. */
static uint64_t find_slot(const Vocab *v, const char *word, size_t size)
{
    uint64_t at = XXH3_64bits(word, size) & v->mask;
    for (; v->slot[at]; at = (at + 1) & v->mask) {
        const int64_t id = v->slot[at] - 1;
        if (word_size(v, id) == size && memcmp(v->text + v->offset[id], word, size) == 0) break;
    }
    return at;
}

int64_t vocab_id(const Vocab *v, const char *word, size_t size)
{
    const int32_t found = v->slot[find_slot(v, word, size)];
    if (found) return found - 1;
    return v->special ? VOCAB_UNK : -1;
}

static Status index_words(Vocab *v, Arena *run, const char *name)
{
    uint64_t slots = 16;
    while (slots < (uint64_t)v->n * 2) slots *= 2;
    TRY_NEW(v->slot, run, (int64_t)slots);
    v->mask = slots - 1;
    for (int64_t id = v->special ? VOCAB_SPECIALS : 0; id < v->n; id++) {
        const char *word = v->text + v->offset[id];
        const uint64_t at = find_slot(v, word, word_size(v, id));
        REQUIRE(!v->slot[at], ERR_DATA, "%s: the word \"%.64s\" is there twice, as %d and as %" PRId64, name, word,
                v->slot[at] - 1, id);
        v->slot[at] = (int32_t)(id + 1);
    }
    hash_bytes(v->text, (size_t)v->offset[v->n], v->digest);
    return OK;
}

static Status check_flat(const char *name, const VocabFlat *f)
{
    REQUIRE(f->n >= 0 && f->n <= WORDS_MAX, ERR_DATA, "%s: %" PRId64 " words, at most %" PRId64 " are possible", name,
            f->n, WORDS_MAX);
    REQUIRE(f->n_bytes <= (size_t)INT64_MAX / 2, ERR_DATA, "%s: %zu bytes of words", name, f->n_bytes);
    REQUIRE(f->offset[0] == 0, ERR_DATA, "%s: the first offset is %" PRId64 ", 0 was expected", name, f->offset[0]);
    REQUIRE(f->offset[f->n] == (int64_t)f->n_bytes, ERR_DATA,
            "%s: the last offset is %" PRId64 ", but there are %zu bytes", name, f->offset[f->n], f->n_bytes);
    for (int64_t i = 0; i < f->n; i++) {
        const int64_t at = f->offset[i], end = f->offset[i + 1];
        REQUIRE(at >= 0 && end > at && end <= (int64_t)f->n_bytes, ERR_DATA,
                "%s: word %" PRId64 " lies at %" PRId64 "..%" PRId64 " of %zu bytes", name, i, at, end, f->n_bytes);
        const char *word = f->bytes + at;
        const size_t size = (size_t)(end - at);
        REQUIRE(utf8_check(word, size) == size && !memchr(word, 0, size), ERR_DATA,
                "%s: word %" PRId64 " is not UTF-8 text", name, i);
        REQUIRE(f->count[i] >= 0, ERR_DATA, "%s: word %" PRId64 " was counted %" PRId64 " times", name, i, f->count[i]);
        if (f->special && i < VOCAB_SPECIALS)
            REQUIRE(strlen(specials[i]) == size && memcmp(word, specials[i], size) == 0, ERR_DATA,
                    "%s: word %" PRId64 " is \"%.*s\", %s was expected", name, i, (int)(size < 64 ? size : 64), word,
                    specials[i]);
    }
    REQUIRE(!f->special || f->n >= VOCAB_SPECIALS, ERR_DATA, "%s: %" PRId64 " words, but the %d special ones are due",
            name, f->n, VOCAB_SPECIALS);
    return OK;
}

Status vocab_from_flat(Vocab **out, Arena *run, const char *name, const VocabFlat *f)
{
    TRY(check_flat(name, f));
    Vocab *v;
    TRY_NEW(v, run, 1);
    v->n = f->n;
    v->special = f->special;
    TRY_NEW(v->text, run, (int64_t)f->n_bytes + f->n);
    TRY_NEW(v->offset, run, f->n + 1);
    TRY_NEW(v->count, run, f->n);
    for (int64_t i = 0; i < f->n; i++) {
        v->offset[i + 1] = f->offset[i + 1] + i + 1;
        memcpy(v->text + v->offset[i], f->bytes + f->offset[i], (size_t)(f->offset[i + 1] - f->offset[i]));
        v->count[i] = f->count[i];
    }
    TRY(index_words(v, run, name));
    *out = v;
    return OK;
}

Status vocab_flat(const Vocab *v, Arena *arena, VocabFlat *out)
{
    int64_t *offset, *count;
    char *bytes;
    TRY_NEW(offset, arena, v->n + 1);
    TRY_NEW(count, arena, v->n);
    TRY_NEW(bytes, arena, v->offset[v->n]);
    for (int64_t i = 0; i < v->n; i++) {
        offset[i + 1] = v->offset[i + 1] - i - 1;
        memcpy(bytes + offset[i], v->text + v->offset[i], word_size(v, i));
        count[i] = v->count[i];
    }
    *out = (VocabFlat){v->special, v->n, (size_t)offset[v->n], bytes, offset, count};
    return OK;
}
