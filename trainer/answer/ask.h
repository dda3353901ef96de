/* ask.h - what a user asks, as a batch of a trained model: for `mneme predict` and `mneme attend`.
 *
 * The words get the ids of the corpus that the model was trained on; unknown ones become <unk>. The caps of section
 * `data` hold here too. Labels are not there: only what the model reads. */
#ifndef TRAINER_ANSWER_ASK_H
#define TRAINER_ANSWER_ASK_H
#include "io/batch/build.h"
#include "io/import/ask.h"
#include "trainer/session/session.h"

typedef struct Ask {
    Session *s;
    ImportAsk *import;
    BuildRule rule; /* its fields are those of the corpus, and of the examples */
} Ask;

NODISCARD Status ask_open(Ask *a, Session *s);
void ask_close(Ask *a);
/* One question as an example, spelled as in the corpus (io/text/form.h); target: a text of its own for the target of a
 * pair, or NULL. */
NODISCARD Status ask_parse(Ask *a, const Record *r, const Record *target, Arena *arena, Example *out);
/* example (n): as ask_parse gave them. The batch and its words, by field in the same order, lie in arena. word[f]
 * (count of the last level): the texts behind the ids of batch field f. */
NODISCARD Status ask_pack(const Ask *a, int n, const Example *example, Arena *arena, Batch *out,
                          const Word *word[BATCH_FIELDS]);
/* Both at once, of n questions. */
NODISCARD Status ask_batch(Ask *a, int n, const Record *r, Arena *arena, Batch *out, const Word *word[BATCH_FIELDS]);

#endif
