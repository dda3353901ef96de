/* ngrams.h - how often each n-gram stands in each of several texts: what BLEU, chrF, GLEU and ROUGE are made of.
 *
 *     TRY(ngrams_open(&g, arena, texts, text));
 *     for (int n = 1; n <= order; n++) {
 *         ngrams_next(&g);                          // to order n
 *         while (ngrams_count(&g, count)) ...       // each different n-gram once: count[t] times in text t
 *     } */
#ifndef TRAINER_METRIC_QUALITY_NGRAMS_H
#define TRAINER_METRIC_QUALITY_NGRAMS_H
#include "trainer/metric/quality/tokenize.h"

typedef struct NgramText {
    int64_t n;
    const uint32_t *unit; /* (n) words as numbers, or characters: the same number is the same unit */
} NgramText;

typedef struct NgramKey {
    uint64_t key; /* number of the n-gram without its last unit, and that unit */
    int64_t at;
} NgramKey;

typedef struct Ngrams {
    int texts, order;
    int64_t n;              /* units of all texts, one text behind the other */
    const NgramText *text;  /* (texts) */
    uint32_t *unit, *group; /* (n) group[i]: number of the n-gram that begins at i */
    int64_t *left;          /* (n) units up to the end of the text, this one included */
    int32_t *owner;         /* (n) text */
    NgramKey *key;          /* (n) */
    int64_t keys, next;
    int64_t different; /* n-grams of this order */
} Ngrams;

/* text is borrowed; memory from arena. */
NODISCARD Status ngrams_open(Ngrams *out, Arena *arena, int texts, const NgramText *text);
void ngrams_next(Ngrams *g);
bool ngrams_count(Ngrams *g, int64_t *count); /* count (texts); false: no more of this order */

/* Numbers for tokens: the same number for the same token in any of the texts. */
NODISCARD Status ngrams_intern(Arena *arena, int texts, const Tokens *tokens, NgramText *out);
/* max(n - order + 1, 0) */
int64_t ngrams_total(int64_t n, int order);

#endif
