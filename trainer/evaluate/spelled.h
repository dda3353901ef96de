/* spelled.h - what a model spells in the place of its unknown words, as text. */
#ifndef TRAINER_EVALUATE_SPELLED_H
#define TRAINER_EVALUATE_SPELLED_H
#include "io/text/segment.h"
#include "trainer/decode/decode.h"
#include "trainer/session/session.h"

/* Of the best outputs o (B): spelled[b] (words of the output), text NULL where nothing is spelled; *spelled is NULL for a
 * model that spells no words. */
NODISCARD Status spelled_words(const Session *s, const Batch *b, const DecodeOutput *o, Arena *arena,
                               const Word *const **spelled);

#endif
