/* example.h - fills one field of an example, in scratch. */
#ifndef IO_IMPORT_EXAMPLE_H
#define IO_IMPORT_EXAMPLE_H
#include "io/import/import.h"
#include "io/text/form.h"

NODISCARD Status example_word(ExampleField *f, Arena *scratch, const char *text, size_t size); /* level 0; copied */
NODISCARD Status example_number(ExampleField *f, Arena *scratch, int32_t number);              /* level 0 */
NODISCARD Status example_numbers(ExampleField *f, Arena *scratch, int64_t n,
                                 const int32_t *number);                                     /* level 1; copied */
NODISCARD Status example_words(ExampleField *f, Arena *scratch, const TextWords *words);     /* level 1: all words */
NODISCARD Status example_sentences(ExampleField *f, Arena *scratch, const TextWords *words); /* level 2 */

/* The words of a field of 1 or 2 levels in another spelling, sentence by sentence. */
NODISCARD Status example_spell(ExampleField *f, int levels, const Form *form, Arena *scratch);

/* A number of 64 bits that depends on (seed, a, b) alone and looks random: chooses records for a split. */
uint64_t example_hash(int64_t seed, int64_t a, int64_t b);
/* Whether record (a, b) is one of the share that is chosen at random. */
bool example_chosen(int64_t seed, int64_t a, int64_t b, double share);

#endif
