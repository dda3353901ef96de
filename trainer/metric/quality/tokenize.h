/* tokenize.h - text into tokens exactly as sacreBLEU does it, so that scores may be compared.
 *
 * These rules belong to the measures; the words of a model are another matter (io/text/segment.h). */
#ifndef TRAINER_METRIC_QUALITY_TOKENIZE_H
#define TRAINER_METRIC_QUALITY_TOKENIZE_H
#include "io/text/character.h"
#include "io/text/segment.h"

typedef struct Token {
    const uint32_t *at;
    int64_t n; /* characters */
} Token;

typedef struct Tokens {
    int64_t n;
    Token *token;
} Tokens;

/* 13a, intl, zh, char, none; NULL after the last. */
const char *tokenize_name(int i);

/* The characters of a text without the white space at its end, in lower case if asked for; then its tokens. */
NODISCARD Status tokenize_characters(const Word *text, bool lowercase, Arena *arena, Characters *out);
/* ERR_INTERNAL for a name that is not in the list. */
NODISCARD Status tokenize_text(const char *name, const Word *text, bool lowercase, Arena *arena, Tokens *out);
/* As Python 2 splits bytes: at the white space of ASCII alone. */
NODISCARD Status tokenize_bytes(const Word *text, bool lowercase, Arena *arena, Tokens *out);
/* What lies between white space. */
NODISCARD Status tokenize_spaces(const Characters *text, Arena *arena, Tokens *out);

#endif
