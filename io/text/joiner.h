/* joiner.h - the mark of a token that had no space beside it in the text, so that tokens become the same text again.
 *
 * "Hello (you)!" is Hello (J you J) J! with the mark J at the side where no space was: at punctuation where there is
 * any, so that words are spelled the same with and without it. The mark is U+FFED; in a text it is written as U+25A0,
 * its compatibility form, when marks are set. */
#ifndef IO_TEXT_JOINER_H
#define IO_TEXT_JOINER_H
#include <stdbool.h>

#include "io/text/segment.h"

#define JOINER "\xef\xbf\xad"
enum { JOINER_BYTES = 3, JOINER_CHAR = 0xffed, JOINER_INSTEAD = 0x25a0 };

typedef struct JoinerMarks {
    bool before, after; /* no space was there */
} JoinerMarks;

/* The token without its marks; a token that is nothing but marks keeps them and has none. */
JoinerMarks joiner_take(Word token, Word *bare);

#endif
