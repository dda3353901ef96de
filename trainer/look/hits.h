/* hits.h - does attention look where the answer lies? For corpora that know it: the supporting sentences of a story
 * (field support), the deciding sentences and words of a document (fields key_sentence, key_word). */
#ifndef TRAINER_LOOK_HITS_H
#define TRAINER_LOOK_HITS_H
#include <stdbool.h>

#include "io/attention/attention.h"
#include "io/batch/batch.h"

enum { HITS_VIEWS = 32 };

typedef struct Hits {
    bool no_words; /* words were cut off (data.max_words): their places are not those that the corpus knows */
    int n;         /* views */
    struct {
        const char *name;
        int head, hop;
        int64_t inputs; /* whose facts are known */
        int64_t hits;   /* of these, where the highest weight lies on one of the facts */
    } view[HITS_VIEWS];
} Hits;

/* One input with its views. A view over words counts the sentences that are facts: a hit is an input in which the
 * highest word of each of them is a deciding one. */
void hits_add(Hits *h, const Batch *b, const AttentionExample *e);

#endif
