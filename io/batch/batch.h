/* batch.h - some examples of a corpus, packed: no padding anywhere.
 *
 * A field is ragged. levels = 0: one value an example (a label). 1: a sequence (words of a question). 2: a sequence of
 * sequences (sentences of a document, words of a sentence). 3: and characters of a word.
 * offset[0] (B+1) leads from example b to its units of level 1: [offset[0][b], offset[0][b+1]); offset[1]
 * (count[1]+1) from those to units of level 2, and so on. count[l]: units of level l; count[0] = B. The values are
 * those of the last level; floats are rows of field->width numbers, one row for each. */
#ifndef IO_BATCH_BATCH_H
#define IO_BATCH_BATCH_H
#include "io/batch/field.h"

typedef struct Ragged {
    const DataField *field; /* what it is; borrowed: of the corpus, the importer or a table */
    int64_t count[RAGGED_LEVELS + 1];
    const int64_t *offset[RAGGED_LEVELS];
    const int32_t *id;  /* (count[levels]) word ids, labels; NULL for a float field */
    const float *value; /* (count[levels], width) of a float field; NULL otherwise */
} Ragged;

typedef struct Batch {
    int64_t B;              /* examples here; may be 0 on a rank that has no share of the last batch */
    int64_t all;            /* examples of this global batch on all ranks */
    const int64_t *example; /* (B) number of each example within its split: the key of its random numbers */
    int n_fields;
    Ragged field[BATCH_FIELDS];
} Batch;

/* The field of that role, or NULL. */
const Ragged *batch_role(const Batch *b, Role role);
/* The one of that role (spelling, marks) that belongs to the field of role `of`, or NULL. */
const Ragged *batch_role_of(const Batch *b, Role role, Role of);
/* What is known of the units of a level of the field of role `of`, as numbers of such units; or NULL. */
const Ragged *batch_gold(const Batch *b, Role of, int unit);
/* What is known of the links of the words of the input with those of the target; or NULL. */
const Ragged *batch_links(const Batch *b, bool possible);
/* The field of that name, or NULL. */
const Ragged *batch_field(const Batch *b, const char *name);

#endif
