/* look.h - what a model looked at in one input, in the form that the attention file and page take. */
#ifndef TRAINER_LOOK_LOOK_H
#define TRAINER_LOOK_LOOK_H
#include "io/attention/attention.h"
#include "trainer/answer/ask.h"

typedef struct Look {
    Session *s;
    Arena *keep;               /* what is found lies here; the session's step arena is given back each time */
    AttentionMeasure implicit; /* what the gradient tells is a view more (implicit.h); ATTENTION_WEIGHT: not asked */
    bool own;                  /* pairs: with the model's own target, though there is another */
} Look;

/* One input: the batch holds one example, word as ask_batch gave it. id, truth: for the reader, truth may be NULL. A
 * pair is looked at with its target; without one, or when k->own says so, with what the model makes of its source by
 * section `decode`. */
NODISCARD Status look_example(Look *k, const Batch *b, const Word *const *word, const char *id, const char *truth,
                              AttentionExample *e);
/* The first examples of a split, most of them at the most, into e from e[*n] on. */
NODISCARD Status look_split(Look *k, const char *split, int64_t most, AttentionExample *e, int *n);

/* Its parts. The fields and the gold of the batch's only example; cut: words were cut off each sentence
 * (data.max_words), and their places are not those that the corpus knows. */
NODISCARD Status look_fields(const Batch *b, const Word *const *word, bool cut, Arena *arena, AttentionExample *e);
/* Views of what the tape kept, over the fields of e; with room for `more` of them behind. */
NODISCARD Status look_views(const Tape *t, int more, Arena *arena, AttentionExample *e);

#endif
