/* look.h - what a model looked at in one input, in the form that the attention file and page take. */
#ifndef TRAINER_RUN_LOOK_H
#define TRAINER_RUN_LOOK_H
#include "io/record/attention.h"
#include "trainer/run/ask.h"
#include "trainer/run/hits.h"

/* The batch holds one example, t its forward pass with views. text, word: as ask_batch gave them, or made from the
 * vocabulary by look_words. id, truth: for the reader, truth may be NULL. Memory from arena. */
NODISCARD Status look_example(Session *s, const Batch *b, const Word *const *word, const Tape *t,
                              const ModelOutput *out, const char *id, const char *truth, Arena *arena,
                              AttentionExample *e);

/* The words behind the ids of a batch of the corpus. */
NODISCARD Status look_words(const Session *s, const Batch *b, Arena *arena, const Word *word[BATCH_FIELDS]);

/* The most likely labels, best first; of equal ones the first. */
typedef struct Likely {
    int64_t n;
    const char **label; /* (n) */
    double *probability;
} Likely;
/* logit (n) of one example; top: how many are wanted, 0: all. */
NODISCARD Status look_likely(const Session *s, const real *logit, int64_t n, int64_t top, Arena *arena, Likely *out);

/* The label of the batch's only example; NULL when it is not known. */
const char *look_truth(const Session *s, const Batch *b);
/* A copy in arena: a loader's batch lives only until the call after next. */
NODISCARD Status look_keep(Batch *to, const Batch *from, Arena *arena);

/* The first examples of a split, most of them at the most, into e from e[*n] on. All lies in the session's step arena.
 * hits may be NULL. */
NODISCARD Status look_split(Session *s, const char *split, int64_t most, AttentionExample *e, int *n, Hits *hits);

#endif
