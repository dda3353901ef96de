/* checkpoint_file.h - what the files of this room share. No other file includes it. */
#ifndef IO_CHECKPOINT_CHECKPOINT_FILE_H
#define IO_CHECKPOINT_CHECKPOINT_FILE_H
#include "io/checkpoint/checkpoint.h"
#include "io/file/hash.h"
#include "io/h5/h5.h"

#define CHECKPOINT_FORMAT "mneme-checkpoint"
#define CHECKPOINT_DIGEST "xxh3" /* attribute of each dataset */

/* Index of the first number that is not finite, or -1. width: 4 or 8 bytes. */
int64_t checkpoint_not_finite(const void *data, int width, int64_t n);

NODISCARD Status checkpoint_head_of(H5 *h, const char *path, Arena *arena, CheckpointHead *head);

/* "kind" of a state, and its type in the file. */
const char *checkpoint_kind_name(CheckpointKind kind);
H5Type checkpoint_kind_type(CheckpointKind kind);

/* The digest of the whole content: a sum over the datasets of the hash of name and digest, so that their order does
 * not matter. */
typedef struct CheckpointSum {
    uint64_t half[2];
} CheckpointSum;
NODISCARD Status checkpoint_sum_add(CheckpointSum *sum, const char *object, const char *hex);

#endif
