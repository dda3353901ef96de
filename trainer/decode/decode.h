/* decode.h - sequences from a model that makes them: search for the likeliest, sampling, scoring of given ones.
 *
 * What comes out for an example is a function of that example and the settings alone, bit for bit, whatever examples
 * stand beside it in the batch. Only ModelGenerate is known of the model. */
#ifndef TRAINER_DECODE_DECODE_H
#define TRAINER_DECODE_DECODE_H
#include "io/batch/batch.h"
#include "io/config/config.h"
#include "trainer/model/model.h"

typedef enum DecodeSearch { DECODE_BEAM, DECODE_SAMPLE } DecodeSearch;
typedef enum DecodePenalty { DECODE_GNMT, DECODE_AVERAGE, DECODE_NO_PENALTY } DecodePenalty;
typedef enum DecodeStop { DECODE_STOP_BEAM, DECODE_STOP_BOUND } DecodeStop;
typedef enum DecodeUnknown { DECODE_KEEP, DECODE_REPLACE, DECODE_FORBID } DecodeUnknown;

typedef struct DecodeSettings {
    DecodeSearch search;
    DecodePenalty length_penalty;
    DecodeStop stop;
    DecodeUnknown unknown;
    const char *dictionary;
    int64_t beam, nbest, batch, min_words, max_words, max_source, block, top;
    double max_factor, alpha, coverage, prune, temperature;
} DecodeSettings;

extern const Section decode_section;
void decode_check(const Config *c, ConfigFaults *faults); /* rows that contradict each other */

typedef struct DecodeRequest {
    const Batch *batch;         /* what the model reads, and the example numbers, the keys of random draws */
    const GenerateWords *given; /* (B) what each example's output begins with; NULL: nothing */
    bool whole;                 /* given is all there is: nothing is searched, its words and its end are scored */
    uint64_t seed;              /* of draws */
} DecodeRequest;

/* One output. Its log p is the sum over its words and its end. */
typedef struct DecodeHypothesis {
    int64_t n;           /* words, without the end */
    const int32_t *word; /* (n) */
    const double *log_p; /* (n + 1): of each word given those before it, then of the end */
    const int32_t *look; /* (n) position of the source that got the largest weight, -1: none got any;
                          * NULL: no attention */
    double total;        /* the sum of log_p */
    double score;        /* total / length penalty + coverage penalty: what ranks */
    bool cut;            /* the end was forced: it was not the likeliest, but no word was allowed any more */
} DecodeHypothesis;

/* The outputs of one example, best first; of equal scores the one that ended first, then the one whose candidate stood
 * first (search.h). */
typedef struct DecodeOutput {
    int n;
    DecodeHypothesis *item;
} DecodeOutput;

/* Memory, that of the outputs too, from arena. ERR_CONFIG: the model makes no sequences, or has no attention where the
 * settings need it. ERR_CHECK: the model's numbers are not finite. */
NODISCARD Status decode_batch(Model *m, const DecodeSettings *set, const DecodeRequest *r, Arena *arena,
                              DecodeOutput **out);

/* The divisor of log p for a sequence of n terms (its words and its end): GNMT ((5 + n) / 6)^alpha, average n^alpha,
 * none 1. */
double decode_length_penalty(const DecodeSettings *set, int64_t n);
/* beta * sum_j log min(1, attended_j), of the attention that each of the n words of the source got in all; a word that
 * got less than 1e-4 counts as that, so that sparse attention has a finite penalty. */
double decode_coverage_penalty(double beta, int64_t n, const real *attended);

#endif
