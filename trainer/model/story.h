/* story.h - which memories an example has: the newest sentences of its story, and some empty ones while training.
 *
 * Memories lie oldest first. The time of a memory counts back from the newest, which has time 0. */
#ifndef TRAINER_MODEL_STORY_H
#define TRAINER_MODEL_STORY_H
#include "trainer/op/op.h"

/* story (levels 2), at most `memory` memories an example; noise: the chance of an empty memory behind each sentence,
 * when the tape trains. The arrays of rows and memories lie in the step's arena. A failure marks the tape. */
void story_memories(Tape *t, const Batch *b, const Ragged *story, int64_t memory, double noise, SentenceRows *rows,
                    Segments *memories);
/* The questions (levels 1) as sentences, one an example. */
SentenceRows story_questions(const Ragged *question);

#endif
