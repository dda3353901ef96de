/* generator.h - what generators of examples have in common: splits of known sizes, and choices by an example's number.
 *
 * Example i of a split depends on (seed, split, i) alone: all choices come from generator_below. */
#ifndef IO_IMPORT_GENERATOR_H
#define IO_IMPORT_GENERATOR_H
#include "comm/random.h"
#include "io/import/pair.h"

/* The first member of a generator's state, which is then what generator_next wants. */
typedef struct Generator {
    char file[32];   /* for messages */
    int64_t n, next; /* examples of the split */
    uint64_t split;
} Generator;

void generator_open(Generator *g, const char *name, const char *split, int64_t train, int64_t valid, int64_t test);
NODISCARD Status generator_next(void *state, Record *out, bool *end); /* the record's line is the example, from 1 */

typedef struct Draws {
    RandomKey key;
    uint64_t drawn;
} Draws;

Draws generator_draws(const Generator *g, int64_t seed, const Record *r);
int64_t generator_below(Draws *d, int64_t n); /* 0 <= result < n */
bool generator_chance(Draws *d, int percent);

/* Lengths of a split of pairs: those of test may be others than those of train and valid. */
typedef struct GeneratorLengths {
    int64_t min_words, max_words;
    int64_t min_test_words, max_test_words; /* 0: as the others */
} GeneratorLengths;

NODISCARD Status generator_check_lengths(const GeneratorLengths *l);
int64_t generator_length(const Generator *g, const GeneratorLengths *l, Draws *d);

/* The fields of pairs whose links are known, whatever the settings. */
int generator_pair_fields(const void *settings, DataField fields[BATCH_FIELDS]);

#endif
