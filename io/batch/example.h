/* example.h - one example as words and numbers, before they become ids; how each field is filled, in scratch. */
#ifndef IO_BATCH_EXAMPLE_H
#define IO_BATCH_EXAMPLE_H
#include "io/batch/field.h"
#include "io/text/form.h"
#include "io/text/segment.h"

typedef struct ExampleField {
    int64_t count[RAGGED_LEVELS + 1]; /* count[0]: 1, or 0 where nothing is known of the field */
    int64_t *offset[RAGGED_LEVELS];   /* as in batch.h, of this one example */
    Word *word;                       /* (count[levels]) of a field with a vocabulary */
    int32_t *number;                  /* (count[levels]) of ids without one */
    float *value;                     /* (count[levels], width) of floats */
} ExampleField;

typedef struct Example {
    ExampleField field[BATCH_FIELDS]; /* in the order of the importer's fields */
    int left_out; /* 0: none of that; i: reasons[i - 1] of the importer, and the fields are not filled */
} Example;

NODISCARD Status example_word(ExampleField *f, Arena *scratch, const char *text, size_t size); /* level 0; copied */
NODISCARD Status example_number(ExampleField *f, Arena *scratch, int32_t number);              /* level 0 */
NODISCARD Status example_numbers(ExampleField *f, Arena *scratch, int64_t n,
                                 const int32_t *number);                                     /* level 1; copied */
NODISCARD Status example_words(ExampleField *f, Arena *scratch, const TextWords *words);     /* level 1: all words */
NODISCARD Status example_sentences(ExampleField *f, Arena *scratch, const TextWords *words); /* level 2 */
NODISCARD Status example_rows(ExampleField *f, Arena *scratch, int64_t n, float *value); /* level 1; value borrowed */
/* The characters of each of the words, joiner marks too: level 2. */
NODISCARD Status example_characters(ExampleField *f, Arena *scratch, int64_t n, const Word *word);

/* The words of a field of 1 or 2 levels in another spelling, sentence by sentence. */
NODISCARD Status example_spell(ExampleField *f, int levels, const Form *form, Arena *scratch);

#endif
