/* words.h - what models that are made of a generator share: sizes from the corpus, and a prediction from what was made.
 */
#ifndef TRAINER_MODEL_WORDS_H
#define TRAINER_MODEL_WORDS_H
#include "trainer/generate/generator.h"
#include "trainer/model/model.h"

/* Declares the generator's parameters as the model's first ones. */
NODISCARD Status words_build(Model *m, Generator *g, const GeneratorSettings *s);
NODISCARD Status words_init(const Model *m, Generator *g);
/* Over the batch's targets: the prediction, and what the model may go on from. A failure marks the tape. */
void words_forward(const Generator *g, Tape *t, const Batch *b, Prediction *out, Generated *made);

#endif
