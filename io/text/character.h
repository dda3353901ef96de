/* character.h - text as an array of Unicode characters, and what kind of character each is.
 *
 * Kinds come from ICU's Unicode data and never depend on the locale. Text must have passed text_require,
 * but for CHARACTER_NONE_TEXT. */
#ifndef IO_TEXT_CHARACTER_H
#define IO_TEXT_CHARACTER_H
#include "comm/arena.h"

/* What stands for a text that nobody knows: one byte that no text holds. It becomes CHARACTER_NONE, a lone surrogate,
 * which is neither space nor mark and no character of any text. */
#define CHARACTER_NONE_TEXT "\xff"
enum { CHARACTER_NONE = 0xdfff };

typedef struct Characters {
    int64_t n;
    uint32_t *at; /* (n) */
} Characters;

NODISCARD Status character_decode(const char *bytes, size_t size, Arena *arena, Characters *out);
/* The lower case form by Unicode's full rules: one character may become two, a sigma at a word's end becomes final. */
NODISCARD Status character_lower(const char *bytes, size_t size, Arena *arena, Characters *out);

bool character_space(uint32_t c);       /* white space, the separators 0x1c-0x1f included */
bool character_punctuation(uint32_t c); /* general category P */
bool character_symbol(uint32_t c);      /* general category S */
bool character_number(uint32_t c);      /* general category N */

/* Bytes of text up to the white space at its end. */
size_t character_trimmed(const char *bytes, size_t size);

#endif
