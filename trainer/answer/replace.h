/* replace.h - what stands in the place of an unknown word: the source word that was looked at, or its translation. */
#ifndef TRAINER_ANSWER_REPLACE_H
#define TRAINER_ANSWER_REPLACE_H
#include "io/text/linefile.h"

typedef struct ReplaceEntry {
    Word source, target;
    int64_t line; /* of equal source words the first line counts */
} ReplaceEntry;

typedef struct Replace {
    int64_t n;
    ReplaceEntry *entry; /* by source word */
} Replace;

/* Lines source<TAB>target, blank ones are left out. ERR_DATA names the first line that is none. Memory from run. */
NODISCARD Status replace_read(Replace *r, Arena *run, const char *path);
Word replace_find(const Replace *r, Word source); /* source itself when it is not there */

#endif
