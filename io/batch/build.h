/* build.h - where batches are made, all of them: of a corpus's pieces, of examples of words, of other batches, of words
 * that a model made, and at random. */
#ifndef IO_BATCH_BUILD_H
#define IO_BATCH_BUILD_H
#include "comm/arena.h"
#include "comm/random.h"
#include "io/batch/batch.h"
#include "io/batch/example.h"
#include "io/text/vocab.h"

/* One example of a field: unit `at` of level 0, with all below it. */
typedef struct BuildPart {
    const int64_t *const *offset; /* [levels], as in batch.h */
    const void *values;
    int64_t at;
} BuildPart;
/* Part i of field number `field`; asked twice for each. */
typedef BuildPart BuildParts(const void *context, int field, int64_t i);

/* n parts end to end, within the caps of each level (field_caps; NULL: whole). */
NODISCARD Status build_field(Ragged *out, Arena *arena, const DataField *f, const int64_t *cap, int64_t n,
                             BuildParts *part, const void *context, int field);

/* How examples become a batch. */
typedef struct BuildRule {
    int n_fields;
    const DataField *field;           /* (n_fields) of the corpus */
    const Vocab *vocab[BATCH_FIELDS]; /* NULL: plain numbers, or floats */
    int64_t sentences, words;         /* caps as in field_caps */
} BuildRule;

/* Examples of the rule's fields; the batch has the fields that are known of all of them. number (n): of the examples.
 * word (may be NULL): word[f] (count of the last level) the texts behind the ids of field f of the batch, NULL where it
 * has no vocabulary. */
NODISCARD Status build_examples(Batch *out, Arena *arena, const BuildRule *rule, int64_t n, const Example *example,
                                const int64_t *number, const Word *word[BATCH_FIELDS]);
/* Examples row[0 .. n) of a batch, in that order, some or several times. */
NODISCARD Status build_rows(Batch *out, Arena *arena, const Batch *from, int64_t n, const int64_t *row);
/* A field of level 1: n examples of ids. */
typedef struct BuildIds {
    int64_t n;
    const int32_t *id;
} BuildIds;
NODISCARD Status build_ids(Ragged *out, Arena *arena, const DataField *f, int64_t n, const BuildIds *ids);
/* The field takes the place of the one of its role and name, or is one more. */
NODISCARD Status build_put(Batch *b, const Ragged *r, int *at);
/* Ids drawn from [0, below), and each unit of level l has per[l] of the next. */
NODISCARD Status build_random(Ragged *out, Arena *arena, const DataField *f, int64_t n, const int64_t *per,
                              int64_t below, RandomKey key);

#endif
