/* vocab_words.h - the special words, for the files of the vocabulary alone. */
#ifndef IO_TEXT_VOCAB_WORDS_H
#define IO_TEXT_VOCAB_WORDS_H
#include <stdbool.h>
#include <stddef.h>

bool vocab_is_special(const char *word, size_t size);
const char *vocab_special_word(int id); /* 0 <= id < VOCAB_SPECIALS */

#endif
