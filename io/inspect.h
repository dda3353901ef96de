/* inspect.h - what any of our files holds, as text for a person, verified on the way. */
#ifndef IO_INSPECT_H
#define IO_INSPECT_H
#include "comm/arena.h"
#include "comm/buffer.h"

/* A corpus (its folder or index), a shard, a vocabulary, a checkpoint, an attention file, or the folder of a run.
 * ERR_DATA when it is none of them, or damaged. */
NODISCARD Status inspect_path(const char *path, Arena *arena, Buffer *text);

#endif
