/* checkpoint_background.h - a save that runs in a thread of its own, on a copy of the state.
 *
 * At most one is under way. The copy lies in an arena that is used again, so that memory stops growing after the first
 * save. Used by checkpoint_store.c alone. */
#ifndef IO_CHECKPOINT_CHECKPOINT_BACKGROUND_H
#define IO_CHECKPOINT_CHECKPOINT_BACKGROUND_H
#include <pthread.h>
#include <stdatomic.h>

#include "io/checkpoint/checkpoint.h"

typedef Status (*CheckpointSave)(void *context, const Checkpoint *c, double metric);

typedef struct CheckpointBackground {
    Arena arena; /* the copy */
    Checkpoint copy;
    double metric;
    CheckpointSave save;
    void *context;
    pthread_t thread;
    bool under_way;
    atomic_bool done;
    Status status;
    char report[4096]; /* of the thread, when it failed */
} CheckpointBackground;

NODISCARD Status checkpoint_background_start(CheckpointBackground *b, const Checkpoint *c, double metric,
                                             CheckpointSave save, void *context);
NODISCARD Status checkpoint_background_poll(CheckpointBackground *b, int64_t *step);
NODISCARD Status checkpoint_background_wait(CheckpointBackground *b, int64_t *step);
void checkpoint_background_close(CheckpointBackground *b);

#endif
