/* loader.h - batches of a split in an order that is a function of (seed, epoch) alone.
 *
 * Blocks of consecutive examples are permuted; a window of them is shuffled and, with bucketing, sorted by length and
 * cut into batches, whose order is shuffled again. The order does not know shards, ranks or memory. Each example comes
 * once an epoch. A position (epoch, batch) is found again in O(1). A thread reads and packs ahead of use. */
#ifndef IO_CORPUS_LOADER_H
#define IO_CORPUS_LOADER_H
#include "io/corpus/corpus.h"

typedef struct LoaderOptions {
    const char *split;
    uint64_t seed;
    int64_t batch;                    /* examples of a global batch, or words when by_words is there */
    const char *by_words;             /* field whose words make batches of nearly the same size; NULL: by examples */
    int64_t extra_words;              /* that each example counts besides: the end of a sequence */
    int64_t part, parts;              /* this loader's share: examples part, part + parts, ... of each global batch */
    bool shuffle;                     /* off: the order of the corpus, for evaluation */
    const char *bucket;               /* field whose length sorts the window, NULL: none */
    int64_t window;                   /* global batches in a window */
    int64_t memory;                   /* bytes that the packed data may take; a split that fits is kept whole */
    int64_t max_sentences, max_words; /* of an example, of a sentence: the first ones are kept (field_caps); 0: all */
    int64_t epochs;                   /* stop after so many; 0: go on for ever */
} LoaderOptions;

typedef struct LoaderPosition {
    int64_t epoch, batch; /* of the next batch; batch counts from 0 within the epoch */
} LoaderPosition;

typedef struct Loader Loader;

NODISCARD Status loader_open(Loader **out, const Corpus *c, const LoaderOptions *o, LoaderPosition start);
void loader_close(Loader *l);
int64_t loader_batches(const Loader *l); /* global batches an epoch */
/* The same before a loader is there, and *examples: of a global batch, the mean when batches are cut by words. */
NODISCARD Status loader_plan(const Corpus *c, const LoaderOptions *o, int64_t *examples, int64_t *batches);
int64_t loader_system_calls(Loader *l); /* memory asked of the system so far: stands still in steady state */
/* The next batch and its position; *out is NULL at the end. It stays valid until the call after next. The seconds that
 * the caller had to wait are added to *waited (may be NULL). */
NODISCARD Status loader_next(Loader *l, const Batch **out, LoaderPosition *at, double *waited);

#endif
