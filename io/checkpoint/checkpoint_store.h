/* checkpoint_store.h - the checkpoints of one run in one folder: written all or nothing, verified, kept or removed.
 *
 * A checkpoint that was announced is on the disk and was read back. Older ones go only after that, and only those that
 * this folder's index (checkpoints.json) says the run wrote; files of others are never touched. Only one process uses
 * a folder for writing: the run's lock sees to that. */
#ifndef IO_CHECKPOINT_CHECKPOINT_STORE_H
#define IO_CHECKPOINT_CHECKPOINT_STORE_H
#include "io/checkpoint/checkpoint.h"

typedef struct CheckpointKeep {
    int last;    /* the newest ones that stay, at least 1 */
    int best;    /* those with the best measure that stay too */
    bool higher; /* a higher measure is better */
} CheckpointKeep;

enum { CHECKPOINT_FILE = 32 };

typedef struct CheckpointEntry {
    char file[CHECKPOINT_FILE]; /* "step-000001234.h5" */
    int64_t step, bytes;
    double metric;         /* nan: none */
    char digest[HASH_HEX]; /* of the content: the attribute `digest` of the file */
    double loss;           /* of the same evaluation; nan: none */
} CheckpointEntry;

typedef struct CheckpointStore CheckpointStore;

/* The folder is made when it is not there. An index that is damaged is made again from the files, with a warning: then
 * nothing that it listed will be removed. warnings may be NULL. */
NODISCARD Status checkpoint_store_open(CheckpointStore **out, Arena *run, const char *folder, CheckpointKeep keep,
                                       Buffer *warnings);
void checkpoint_store_close(CheckpointStore *s); /* waits for a save that is under way; NULL is fine */

/* Save now: space is checked, the file written beside, synced, renamed, the folder synced, read back, the index
 * renewed, older ones removed. metric: nan when there is none. ERR_CHECK: not finite. ERR_IO: disk full, ... */
NODISCARD Status checkpoint_store_save(CheckpointStore *s, const Checkpoint *c, double metric);

/* The same while training goes on: c is copied before this returns. A save still under way is waited for, and its
 * failure is this call's. */
NODISCARD Status checkpoint_store_begin(CheckpointStore *s, const Checkpoint *c, double metric);
/* Never waits. *step: of a save that has come to its good end since the last call, -1 when there is none; a failure
 * is returned once, with its report. */
NODISCARD Status checkpoint_store_poll(CheckpointStore *s, int64_t *step);
NODISCARD Status checkpoint_store_wait(CheckpointStore *s, int64_t *step); /* the same, waiting for the end */

/* The entries in the order of their steps; not while a save is under way. */
int checkpoint_store_list(const CheckpointStore *s, const CheckpointEntry **entry);

/* The newest whole checkpoint in a folder, *path NULL when there are none. Damaged ones are passed over with a line in
 * warnings each; ERR_DATA when all are damaged, ERR_CONFIG when the newest is of a newer format. */
NODISCARD Status checkpoint_newest(const char *folder, Arena *arena, const char **path, Buffer *warnings);
/* A line into warnings when the index is damaged. */
NODISCARD Status checkpoint_check_index(const char *folder, Arena *arena, Buffer *warnings);
/* The one with the best measure by the index, of equal ones that with the lowest loss, then the earliest; or by the files themselves where that is damaged; NULL when there is none
 * with a measure. */
NODISCARD Status checkpoint_best(const char *folder, Arena *arena, const char **path);

#endif
