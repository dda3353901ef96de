/* model_data.h - what a corpus would say of the fields that models of tests read. */
#ifndef TESTS_MODEL_DATA_H
#define TESTS_MODEL_DATA_H
#include "trainer/model/model.h"

/* Members of a ModelData: sizes of the vocabularies of the input and the target, most sentences of an input, and most
 * words of a sentence of either. */
#define MODEL_DATA(input, target, units, longest_words) MODEL_DATA_SPELLED(input, target, 0, units, longest_words)
/* The same with characters of the words on both sides. */
#define MODEL_DATA_SPELLED(input, target, characters, units, longest_words)                                            \
    .n_fields = 4, .field = {                                                                                          \
                       {.role = ROLE_INPUT, .levels = 2, .words = (input), .longest = {(units), (longest_words)}},     \
                       {.role = ROLE_TARGET, .levels = 1, .words = (target), .longest = {(longest_words)}},            \
                       {.role = ROLE_SPELLING, .of = ROLE_INPUT, .levels = 2, .words = (characters)},                  \
                       {.role = ROLE_SPELLING, .of = ROLE_TARGET, .levels = 2, .words = (characters)},                 \
    }

#endif
