/* document.h - keys of the random numbers of a document's parts: functions of the example and the place in it, so that
 * dropout does not depend on the batch or on the rank. */
#ifndef TRAINER_MODEL_DOCUMENT_H
#define TRAINER_MODEL_DOCUMENT_H
#include "trainer/op/op.h"

typedef struct DocumentKeys {
    const uint64_t *word, *sentence, *document; /* one each; NULL when the tape does not train */
} DocumentKeys;

/* text: levels 2. A failure marks the tape. */
DocumentKeys document_keys(Tape *t, const Batch *b, const Ragged *text);

#endif
