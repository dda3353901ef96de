/* symbols.h - short texts, and pairs of them, as numbers from 0 in the order of adding.
 *
 * A zeroed struct is empty and ready. What symbols_word gives is valid until the next symbols_add. */
#ifndef IO_TEXT_SYMBOLS_H
#define IO_TEXT_SYMBOLS_H
#include "comm/buffer.h"
#include "io/text/segment.h"

typedef struct Symbols {
    Buffer text, ends, slots; /* the texts; size_t end of each; int32_t number + 1, 0 is free */
    int32_t n;
} Symbols;

NODISCARD Status symbols_add(Symbols *s, Word text, int32_t *number); /* its number, new or not */
int32_t symbols_find(const Symbols *s, Word text);                    /* -1: not there */
Word symbols_word(const Symbols *s, int32_t number);
void symbols_clear(Symbols *s); /* keeps the memory */
void symbols_close(Symbols *s);

typedef struct SymbolPair {
    int32_t left, right;
} SymbolPair;

typedef struct SymbolPairs {
    Buffer pair, slots; /* SymbolPair; int32_t number + 1 */
    int32_t n;
} SymbolPairs;

NODISCARD Status symbols_add_pair(SymbolPairs *s, int32_t left, int32_t right, int32_t *number);
int32_t symbols_find_pair(const SymbolPairs *s, int32_t left, int32_t right); /* -1: not there */
SymbolPair symbols_pair(const SymbolPairs *s, int32_t number);
void symbols_close_pairs(SymbolPairs *s);

#endif
