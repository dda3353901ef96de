/* story.c - from the sentences of a packed batch to the rows of the memories. */
#include "trainer/model/story.h"

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* The memories of one example, newest first, so that the oldest fall out; then the order is turned round. */
static int64_t fill(const Ragged *story, int64_t example, const int64_t *sentence, int64_t memory, double noise,
                    RandomKey key, int64_t *begin, int64_t *end, int32_t *time)
{
    int64_t n = 0;
    for (int64_t s = sentence[1] - 1, back = 0; s >= sentence[0] && n < memory; s--, back++) {
        /* Random noise (Sukhbaatar 2015, 4.2): empty memories shift the times of all that is older. */
        if (noise > 0 && random_uniform(key, (uint64_t)example, (uint64_t)back) < noise) begin[n] = end[n] = 0, n++;
        if (n == memory) break;
        begin[n] = story->offset[1][s];
        end[n] = story->offset[1][s + 1];
        n++;
    }
    for (int64_t i = 0; i < n / 2; i++) {
        const int64_t j = n - 1 - i, b = begin[i], e = end[i];
        begin[i] = begin[j], end[i] = end[j];
        begin[j] = b, end[j] = e;
    }
    for (int64_t i = 0; i < n; i++) time[i] = (int32_t)(n - 1 - i);
    return n;
}

void story_memories(Tape *t, const Batch *b, const Ragged *story, int64_t memory, double noise, SentenceRows *rows,
                    Segments *memories)
{
    *rows = (SentenceRows){.id = story->id};
    *memories = (Segments){0};
    if (!t->train) noise = 0;
    const RandomKey key = tape_random(t, RANDOM_NOISE);
    const int64_t *sentence = story->offset[0];
    int64_t most = 0;
    for (int64_t i = 0; i < b->B; i++) most += least(memory, (sentence[i + 1] - sentence[i]) * (noise > 0 ? 2 : 1));
    int64_t *begin = tape_alloc(t, (size_t)most * sizeof *begin), *end = tape_alloc(t, (size_t)most * sizeof *end);
    int32_t *time = tape_alloc(t, (size_t)most * sizeof *time);
    int64_t *offset = tape_alloc(t, (size_t)(b->B + 1) * sizeof *offset);
    if (!offset) return;
    int64_t n = 0;
    for (int64_t i = 0; i < b->B; i++) {
        offset[i] = n;
        n += fill(story, b->example[i], sentence + i, memory, noise, key, begin + n, end + n, time + n);
    }
    offset[b->B] = n;
    rows->n = n;
    rows->begin = begin;
    rows->end = end;
    rows->time = time;
    *memories = (Segments){b->B, offset};
}

SentenceRows story_questions(const Ragged *question)
{
    return (SentenceRows){
        .n = question->count[0], .begin = question->offset[0], .end = question->offset[0] + 1, .id = question->id};
}
