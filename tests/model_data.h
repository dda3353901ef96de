/* model_data.h - what a corpus would say of the fields that models of tests read. */
#ifndef TESTS_MODEL_DATA_H
#define TESTS_MODEL_DATA_H
#include "trainer/model/model.h"

/* Members of a ModelData: sizes of the vocabularies of the input and the target, most sentences of an input, and most
 * words of a sentence of either. */
#define MODEL_DATA(input, target, units, longest)                                                                      \
    .words = (input), .labels = (target), .longest_units = (units), .longest_words = (longest)

#endif
