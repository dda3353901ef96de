/* vocab.h - words and their ids, most frequent first (ties in byte order), after the special ones. */
#ifndef IO_TEXT_VOCAB_H
#define IO_TEXT_VOCAB_H
#include "comm/arena.h"

typedef struct Vocab Vocab;
enum { VOCAB_PAD = 0, VOCAB_UNK = 1, VOCAB_BOS = 2, VOCAB_EOS = 3, VOCAB_SPECIALS = 4 }; /* of vocabularies of words */

int64_t vocab_size(const Vocab *v);
const char *vocab_word(const Vocab *v, int64_t id);              /* "<unk>" ... for the special ones */
int64_t vocab_id(const Vocab *v, const char *word, size_t size); /* VOCAB_UNK (or -1 without specials) when not there */
int64_t vocab_count(const Vocab *v, int64_t id);                 /* occurrences when it was made */
const char *vocab_digest(const Vocab *v);                        /* XXH3 128 of the words in order, as hex */

#endif
