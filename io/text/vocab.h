/* vocab.h - words and their ids, most frequent first (ties in byte order), after the special ones.
 *
 * A builder counts; builders of several ranks are merged as bytes; the order of adding and merging does not show in the
 * result. A text that spells a special word, such as "<pad>", is the unknown word. */
#ifndef IO_TEXT_VOCAB_H
#define IO_TEXT_VOCAB_H
#include "comm/arena.h"

typedef struct Vocab Vocab;
enum { VOCAB_PAD = 0, VOCAB_UNK = 1, VOCAB_BOS = 2, VOCAB_EOS = 3, VOCAB_SPECIALS = 4 }; /* of vocabularies of words */

int64_t vocab_size(const Vocab *v);
const char *vocab_word(const Vocab *v, int64_t id);              /* "<unk>" ... for the special ones */
int64_t vocab_id(const Vocab *v, const char *word, size_t size); /* VOCAB_UNK (or -1 without specials) when not there */
int64_t vocab_count(const Vocab *v, int64_t id);                 /* occurrences when it was made */
bool vocab_special(const Vocab *v);                              /* has the special ids */
const char *vocab_digest(const Vocab *v);                        /* XXH3 128 of the words in order, as hex */

/* --- Counting. A word is not empty and holds no 0 byte. --- */
typedef struct VocabBuilder VocabBuilder;

/* name and memory (bytes that the words may take) stand in messages. The handle lies in run. */
NODISCARD Status vocab_builder_open(VocabBuilder **out, Arena *run, const char *name, size_t memory);
void vocab_builder_close(VocabBuilder *b);
NODISCARD Status vocab_builder_add(VocabBuilder *b, const char *word, size_t size, int64_t count);
int64_t vocab_builder_words(const VocabBuilder *b); /* distinct words so far */
/* How often the word was added. */
int64_t vocab_builder_count(const VocabBuilder *b, const char *word, size_t size);
/* Append all words and counts to out; another builder adds them with vocab_builder_merge, which trusts nothing. */
NODISCARD Status vocab_builder_write(const VocabBuilder *b, Buffer *out);
NODISCARD Status vocab_builder_merge(VocabBuilder *b, const void *bytes, size_t size);

typedef struct VocabLimits {
    bool special;      /* begin with <pad> <unk> <s> </s>; the count of <unk> is that of all words left out */
    int64_t min_count; /* words seen less often are left out; 0 or 1: none */
    int64_t max_size;  /* most frequent words kept, the special ones not counted; 0: all */
} VocabLimits;

NODISCARD Status vocab_build(Vocab **out, Arena *run, const VocabBuilder *b, const VocabLimits *limits);

/* --- As flat arrays, for a file. Word i is bytes[offset[i] .. offset[i + 1]). --- */
typedef struct VocabFlat {
    bool special;
    int64_t n;
    size_t n_bytes;
    const char *bytes;
    const int64_t *offset; /* (n + 1) */
    const int64_t *count;  /* (n) */
} VocabFlat;

NODISCARD Status vocab_flat(const Vocab *v, Arena *arena, VocabFlat *out);
/* Everything is checked; name (the file and object) stands in messages. The arrays are copied. */
NODISCARD Status vocab_from_flat(Vocab **out, Arena *run, const char *name, const VocabFlat *flat);

#endif
