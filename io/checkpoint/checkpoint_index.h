/* checkpoint_index.h - checkpoints.json: which checkpoints a run wrote, and how good they were; xxh3 is the digest of
 * all else in it. */
#ifndef IO_CHECKPOINT_CHECKPOINT_INDEX_H
#define IO_CHECKPOINT_CHECKPOINT_INDEX_H
#include "io/checkpoint/checkpoint_store.h"

#define CHECKPOINT_INDEX "checkpoints.json"
enum { CHECKPOINT_ENTRIES = 4096 };

typedef struct CheckpointIndex {
    bool higher;       /* a higher measure is better */
    int64_t best_from; /* measures of earlier steps do not count */
    int n;
    CheckpointEntry entry[CHECKPOINT_ENTRIES]; /* ascending steps */
} CheckpointIndex;

/* With the checkpoints in the folder that the file does not list, since a run was killed before it wrote them, or the
 * file is gone: of unknown size, and so never removed. ERR_DATA when it is damaged: then x is made of these alone. */
NODISCARD Status checkpoint_index_read(CheckpointIndex *x, const char *folder);
NODISCARD Status checkpoint_index_write(const CheckpointIndex *x, const char *folder);
/* Put in its place, instead of one of the same step. */
NODISCARD Status checkpoint_index_add(CheckpointIndex *x, const CheckpointEntry *e);
void checkpoint_index_remove(CheckpointIndex *x, int i);
int checkpoint_index_best(const CheckpointIndex *x); /* -1: none has a measure */
/* stays[i]: entry i is among the newest `last` up to now (a step) or the best `best`. */
void checkpoint_index_choose(const CheckpointIndex *x, CheckpointKeep keep, int64_t now,
                             bool stays[CHECKPOINT_ENTRIES]);

#endif
