/* quality.h - how good generated text is against references, to the last digit that the reference tool prints.
 *
 * A measure counts in integers: the counters of parts of a test set add up to those of the whole, so no score depends
 * on ranks or order. A measure is one file and one line in the table of quality.c. */
#ifndef TRAINER_METRIC_QUALITY_QUALITY_H
#define TRAINER_METRIC_QUALITY_QUALITY_H
#include "comm/arena.h"
#include "io/text/segment.h"
#include "trainer/metric/measures.h"

enum { QUALITY_REFERENCES = 16, QUALITY_ORDER = 16, QUALITY_ITEMS = 8, QUALITY_TEXT = 256 };

typedef struct QualityOptions {
    const char *tokenize; /* of BLEU: tokenize_name */
    bool lowercase;
    const char *smooth;  /* of BLEU: bleu_smooth_name */
    double smooth_value; /* NaN: what the method takes by itself */
    bool sentence;       /* scores of single sentences: BLEU with effective order, GLEU with smoothing */
    int64_t char_order, word_order, beta; /* of chrF; word_order -1: as the measure has it */
    bool whitespace, eps_smoothing;       /* of chrF: count white space; smoothing of chrF++.py */
    const char *draw;                     /* of GLEU: gleu_draw_name */
    bool stem;                            /* of ROUGE: Porter's */
    const char *sentence_mark;            /* of ROUGE-Lsum: what ends a sentence; "": nothing does */
} QualityOptions;

typedef struct QualityPair {
    Word hypothesis;
    const Word *reference; /* (references) */
    Word source;           /* text NULL: not known */
    int64_t index;         /* of the pair in the test set, from 0 */
} QualityPair;

typedef struct QualityItem {
    char name[MEASURE_NAME]; /* "BLEU" */
    double value;
    int digits; /* that the reference tool prints behind the point */
    bool higher;
    char signature[QUALITY_TEXT], detail[QUALITY_TEXT]; /* "" when there is none */
} QualityItem;

typedef struct QualityReport {
    int n;
    QualityItem item[QUALITY_ITEMS];
} QualityReport;

/* A measure with its options. */
typedef struct Quality {
    const struct QualityDef *def;
    QualityOptions option;
    int references;
    int64_t counters; /* 0: all lines are needed at once, quality_whole */
    void *state;      /* of the measure */
} Quality;

typedef struct QualityDef {
    const char *name, *help;
    bool source;                              /* needs the source text */
    Status (*open)(Quality *q, Arena *arena); /* makes the state; NULL: there is none */
    int64_t (*counters)(const Quality *q);
    Status (*add)(const Quality *q, int64_t *count, const QualityPair *p, Arena *scratch);
    Status (*report)(const Quality *q, const int64_t *count, QualityReport *out);
    /* Instead of the three above, for what no sum over lines can be. */
    Status (*whole)(const Quality *q, int64_t n, const QualityPair *pair, Arena *scratch, QualityReport *out);
} QualityDef;

const QualityDef *quality_at(int i); /* NULL after the last */
const char *quality_name(int i);

extern const QualityOptions quality_preset;
extern const QualityDef quality_bleu, quality_chrf_words; /* chrf.c has two rows */

/* ERR_USAGE when there is no measure of that name, or no such tokenisation or smoothing. */
NODISCARD Status quality_open(Quality *out, Arena *arena, const char *name, const QualityOptions *option,
                              int references);
/* count (q->counters), zeroed before the first. Text must have passed text_require. */
NODISCARD Status quality_add(const Quality *q, int64_t *count, const QualityPair *p, Arena *scratch);
NODISCARD Status quality_report(const Quality *q, const int64_t *count, QualityReport *out);
/* The report of n pairs, whatever the measure: the three above at once. */
NODISCARD Status quality_whole(const Quality *q, int64_t n, const QualityPair *pair, Arena *scratch,
                               QualityReport *out);

/* For the measures: one more item, to be filled; ERR_INTERNAL when the report is full. */
NODISCARD Status quality_item(QualityReport *r, QualityItem **out, const char *name, double value, int digits);
/* "version:mneme-0.1.0": the last part of every signature says honestly who counted. */
extern const char quality_version[];

#endif
