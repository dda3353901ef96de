/* truecase.h - the first word of a sentence, spelled as it is elsewhere: "The" becomes "the", "Anna" stays.
 *
 * Of each word the form that is most frequent inside sentences is kept. The first word is changed only when a capital
 * at its beginning gives it back: so truecase_restore undoes it. */
#ifndef IO_TEXT_TRUECASE_H
#define IO_TEXT_TRUECASE_H
#include "comm/arena.h"
#include "io/text/segment.h"
#include "io/text/vocab.h"

typedef struct Truecase Truecase;

/* Where a word stands. */
typedef enum TruecasePlace { TRUECASE_FIRST, TRUECASE_AFTER_STOP, TRUECASE_INSIDE } TruecasePlace;
enum { TRUECASE_PLACES = 3 };
/* place (n) of the words of a sentence: before and at the first word with a letter, behind a full stop or the like, or
 * inside. */
void truecase_places(int64_t n, const Word *word, TruecasePlace *place);

/* inside: counted words without marks, those inside sentences. */
NODISCARD Status truecase_learn(Truecase **out, Arena *run, const Vocab *inside);
/* A line "form count" for each word; path stands in messages. */
NODISCARD Status truecase_parse(Truecase **out, Arena *run, const char *path, const char *text, size_t size);
NODISCARD Status truecase_write(const Truecase *t, Buffer *out);
void truecase_close(Truecase *t);
int64_t truecase_forms(const Truecase *t);

/* A word at the first place, without marks, as it is to be spelled. Valid until the next call. */
NODISCARD Status truecase_word(Truecase *t, Word word, Word *out);
/* With a capital at its beginning. In scratch. */
NODISCARD Status truecase_restore(Word word, Arena *scratch, Word *out);

#endif
