/* form.h - how the words of one vocabulary are spelled in a corpus: the first word by truecase.h, then subwords.
 *
 * What a corpus was made with is stored in it and used again for every question: a model knows no other spelling. */
#ifndef IO_TEXT_FORM_H
#define IO_TEXT_FORM_H
#include "io/text/bpe.h"
#include "io/text/truecase.h"

typedef struct Form {
    Truecase *cases; /* NULL: words as they are */
    Bpe *subwords;   /* NULL: whole words */
} Form;

/* The words of one sentence, in scratch. */
NODISCARD Status form_words(const Form *f, int64_t n, const Word *word, Arena *scratch, int64_t *n_out, Word **out);
void form_close(Form *f);

/* --- Subwords as tokens: a token that ends in "@@" goes on in the next one. A word that ends so itself is cut before its
 * last character, which subword-nmt does not do: its output cannot be read back. --- */
bool form_goes_on(Word token);
/* word_of (n): number of the word that token i is a part of, from 0. Returns the number of words. */
int64_t form_word_of(int64_t n, const Word *token, int64_t *word_of);
/* The words put together again, with their joiner marks, in scratch. whole (n): this token came from elsewhere and ends a
 * word whatever it ends in; NULL: none. */
NODISCARD Status form_whole_words(int64_t n, const Word *token, const bool *whole, Arena *scratch, int64_t *n_out,
                                  Word **out);

#endif
