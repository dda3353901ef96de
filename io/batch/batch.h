/* batch.h - some examples of a corpus, packed: no padding anywhere.
 *
 * A field is ragged. levels = 0: one value an example (a label). 1: a sequence (words of a question). 2: a sequence of
 * sequences (sentences of a document, words of a sentence). 3: and characters of a word.
 * offset[0] (B+1) leads from example b to its units of level 1: [offset[0][b], offset[0][b+1]); offset[1]
 * (count[1]+1) from those to units of level 2, and so on. count[l]: units of level l; count[0] = B. The values are
 * those of the last level. */
#ifndef IO_BATCH_BATCH_H
#define IO_BATCH_BATCH_H
#include <stdint.h>

enum { RAGGED_LEVELS = 3, BATCH_FIELDS = 12, NAME_SIZE = 32 };

typedef struct Ragged {
    char name[NAME_SIZE];
    int levels;
    int64_t count[RAGGED_LEVELS + 1];
    const int64_t *offset[RAGGED_LEVELS];
    const int32_t *id;  /* count[levels] values: word ids, labels; NULL for a float field */
    const float *value; /* count[levels] values of a float field; NULL otherwise */
} Ragged;

typedef struct Batch {
    int64_t B;              /* examples here; may be 0 on a rank that has no share of the last batch */
    int64_t all;            /* examples of this global batch on all ranks */
    const int64_t *example; /* (B) number of each example within its split: the key of its random numbers */
    int n_fields;
    Ragged field[BATCH_FIELDS];
} Batch;

/* The field of that name, or NULL. */
const Ragged *batch_field(const Batch *b, const char *name);

#endif
