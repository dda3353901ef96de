/* quality.h - how good generated text is against references, to the last digit that the reference tool prints.
 *
 * A measure counts in integers: the counters of parts of a test set add up to those of the whole, so no score depends
 * on ranks or order. A measure is one file and one line in the table of quality.c. */
#ifndef TRAINER_METRIC_QUALITY_QUALITY_H
#define TRAINER_METRIC_QUALITY_QUALITY_H
#include "comm/arena.h"
#include "io/text/segment.h"
#include "trainer/metric/measures.h"

enum { QUALITY_REFERENCES = 16, QUALITY_ITEMS = 8, QUALITY_TEXT = 256 };

typedef struct QualityOptions {
    const char *tokenize; /* of BLEU: tokenize_name */
    bool lowercase;
    const char *smooth;  /* of BLEU: bleu_smooth_name */
    double smooth_value; /* NaN: what the method takes by itself */
    bool sentence;       /* scores of single sentences: BLEU with effective order, GLEU with smoothing */
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
    int64_t counters;
} Quality;

typedef struct QualityDef {
    const char *name, *help;
    bool source; /* needs the source text */
    int64_t (*counters)(const Quality *q);
    Status (*add)(const Quality *q, int64_t *count, const QualityPair *p, Arena *scratch);
    Status (*report)(const Quality *q, const int64_t *count, QualityReport *out);
} QualityDef;

const QualityDef *quality_at(int i); /* NULL after the last */
const char *quality_name(int i);

extern const QualityOptions quality_preset;

/* ERR_USAGE when there is no measure of that name, or no such tokenisation or smoothing. */
NODISCARD Status quality_open(Quality *out, const char *name, const QualityOptions *option, int references);
/* count (q->counters), zeroed before the first. Text must have passed text_require. */
NODISCARD Status quality_add(const Quality *q, int64_t *count, const QualityPair *p, Arena *scratch);
NODISCARD Status quality_report(const Quality *q, const int64_t *count, QualityReport *out);

/* For the measures: one more item, to be filled; ERR_INTERNAL when the report is full. */
NODISCARD Status quality_item(QualityReport *r, QualityItem **out, const char *name, double value, int digits);
/* "version:mneme-0.1.0": the last part of every signature says honestly who counted. */
extern const char quality_version[];

#endif
