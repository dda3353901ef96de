/* wordlinks.h - the words that belong together by the attention with which an output was made. */
#ifndef TRAINER_EVALUATE_WORDLINKS_H
#define TRAINER_EVALUATE_WORDLINKS_H
#include "io/attention/alignment.h"
#include "io/text/form.h"
#include "trainer/decode/decode.h"

/* One side: its tokens, and the words that they are parts of. */
typedef struct WordSide {
    int64_t tokens, words;
    int64_t *word_of; /* (tokens) */
    Word *word;       /* (words) */
} WordSide;

/* form: how words are spelled (io/text/form.h); NULL: tokens are words. */
NODISCARD Status wordlinks_side(const Form *form, int64_t n, const Word *token, Arena *arena, WordSide *out);
/* Each target word is linked to the source words that its tokens looked at most. Each link once, ascending by source
 * word and then target word; none when h has no look. */
NODISCARD Status wordlinks_of(const DecodeHypothesis *h, const WordSide *source, const WordSide *target, Arena *arena,
                              AlignmentLinks *out);

#endif
