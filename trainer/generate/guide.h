/* guide.h - where the words of a corrected text come from: what an attention can be told. */
#ifndef TRAINER_GENERATE_GUIDE_H
#define TRAINER_GENERATE_GUIDE_H
#include "comm/arena.h"
#include "io/batch/batch.h"

/* wanted (N): for each word of the target, and its end, the word of the source that becomes it with the fewest edits,
 * its place there; -1: it is new. */
NODISCARD Status guide_wanted(Arena *arena, const Batch *b, int32_t **wanted);

#endif
