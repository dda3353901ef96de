/* ask.h - what a user asks, as a batch of a trained model: for `mneme predict` and `mneme attend`.
 *
 * The words get the ids of the corpus that the model was trained on; unknown ones become <unk>. The caps of section
 * `data` hold here too. Labels are not there: only what the model reads. */
#ifndef TRAINER_RUN_ASK_H
#define TRAINER_RUN_ASK_H
#include "io/import/query.h"
#include "trainer/run/session.h"

typedef struct Ask {
    Session *s;
    Query *query;
    const ImportField *fields;
    int n_fields;
} Ask;

NODISCARD Status ask_open(Ask *a, Session *s);
void ask_close(Ask *a);
/* r (n): the queries. The batch and its words, by field in the same order, lie in arena. word[f] (count of the last
 * level): the texts behind the ids of batch field f. */
NODISCARD Status ask_batch(Ask *a, int n, const Record *r, Arena *arena, Batch *out, const Word *word[BATCH_FIELDS]);

#endif
