/* detokenise.h - tokens to plain text: subwords joined, no space where a joiner mark is, the sentence's first letter a
 * capital where truecase took it away.
 *
 * Without joiner marks there is a space between all words. text_split with `joiner` and this give the text back, up to
 * white space and the normal form. */
#ifndef IO_TEXT_DETOKENISE_H
#define IO_TEXT_DETOKENISE_H
#include "comm/arena.h"
#include "io/text/segment.h"

typedef struct DetokeniseHow {
    bool subwords; /* tokens that end in "@@" go on in the next one */
    bool truecase, joiner;
} DetokeniseHow;

/* Appended to out, without a line end. Nothing but tokens of the corpus are expected, no <s> and no </s>; whole (n):
 * this one is a word from elsewhere, whatever it ends in; NULL: none is. */
NODISCARD Status detokenise(const DetokeniseHow *how, int64_t n, const Word *token, const bool *whole, Arena *scratch,
                            Buffer *out);

#endif
