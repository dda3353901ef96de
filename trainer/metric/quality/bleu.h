/* bleu.h - BLEU from its counts, for whoever has them already. */
#ifndef TRAINER_METRIC_QUALITY_BLEU_H
#define TRAINER_METRIC_QUALITY_BLEU_H
#include <stdbool.h>
#include <stdint.h>

enum { BLEU_ORDER = 4 };

/* exp, floor, add-k, none; NULL after the last. */
const char *bleu_smooth_name(int i);

/* Counts of parts add up to those of the whole. */
typedef struct BleuCounts {
    int64_t hypothesis, reference;                  /* tokens; of the reference nearest in length */
    int64_t correct[BLEU_ORDER], total[BLEU_ORDER]; /* n-grams, at most as often as in a reference */
} BleuCounts;

typedef struct BleuScore {
    double score, brevity, precision[BLEU_ORDER]; /* 0..100, 0..1, 0..100 */
} BleuScore;

/* value: of floor and add-k. effective: only the orders that the text is long enough for. */
BleuScore bleu_score(const BleuCounts *c, const char *smooth, double value, bool effective);

#endif
