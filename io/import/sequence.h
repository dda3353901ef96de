/* sequence.h - generators of pairs of sequences of symbols, where the target is the source in another order.
 *
 * The symbols are the numbers from 0, written in decimal, each drawn alike. */
#ifndef IO_IMPORT_SEQUENCE_H
#define IO_IMPORT_SEQUENCE_H
#include "io/import/generator.h"

enum { SEQUENCE_MOST = 1000 }; /* symbols of one sequence */

typedef struct SequenceSettings {
    int64_t train, valid, test, symbols, seed;
    int64_t min_words, max_words, min_test_words, max_test_words;
} SequenceSettings;

enum { SEQUENCE_ROWS = 9 };
extern const Field sequence_rows[SEQUENCE_ROWS];

/* from[j]: which symbol of the source is symbol j of the target. */
typedef void SequenceOrder(int64_t n, const int32_t *symbol, int32_t *from);

NODISCARD Status sequence_open(void **state, Arena *run, const void *settings, const char *name, const char *split);
NODISCARD Status sequence_parse(void *state, const Record *r, Arena *scratch, SequenceOrder *order, Example *out);
void sequence_close(void *state);

#endif
