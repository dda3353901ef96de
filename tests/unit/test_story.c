/* Memories of a story: the newest are kept, times count back, empty ones come by chance and only while training. */
#include "packed.h"
#include "trainer/model/story.h"

static int64_t example[2] = {7, 8};

TEST(the_newest_sentences_are_kept_and_times_count_back)
{
    Arena step = {0};
    Packed p;
    const Ragged story = packed_field(&p, "story", 2, "1/2 2/3 3 3/|4/5 5/6 6 6/7/");
    const Batch b = {.B = 2, .all = 2, .example = example};
    Tape t = tape_begin(&step);
    SentenceRows rows;
    Segments memories;
    story_memories(&t, &b, &story, 3, 0.5, &rows, &memories);
    CHECK_OK(tape_status(&t));
    static const int64_t begin[] = {0, 1, 3, 7, 9, 12}, end[] = {1, 3, 6, 9, 12, 13};
    static const int32_t time[] = {2, 1, 0, 2, 1, 0};
    assert_int_equal(rows.n, 6);
    assert_memory_equal(rows.begin, begin, sizeof begin);
    assert_memory_equal(rows.end, end, sizeof end);
    assert_memory_equal(rows.time, time, sizeof time);
    assert_int_equal(memories.n, 2);
    assert_int_equal(memories.offset[1], 3);
    assert_int_equal(memories.offset[2], 6);
    arena_close(&step);
}

TEST(empty_memories_come_while_training_at_their_rate)
{
    enum { SENTENCES = 60, STEPS = 200 };
    Arena step = {0};
    Packed p;
    char text[2 * SENTENCES + 2] = "";
    for (int i = 0; i < SENTENCES; i++) strcat(text, "1/");
    const Ragged story = packed_field(&p, "story", 2, text);
    const Batch b = {.B = 1, .all = 1, .example = example};
    int64_t empty = 0;
    for (uint64_t s = 0; s < STEPS; s++) {
        const ArenaMark mark = arena_mark(&step);
        Tape t = tape_begin(&step);
        t.train = true;
        t.step = s;
        SentenceRows rows;
        Segments memories;
        story_memories(&t, &b, &story, 1000, 0.1, &rows, &memories);
        CHECK_OK(tape_status(&t));
        int64_t full = 0;
        for (int64_t r = 0; r < rows.n; r++) {
            full += rows.begin[r] < rows.end[r];
            assert_int_equal(rows.time[r], rows.n - 1 - r);
        }
        assert_int_equal(full, SENTENCES);
        empty += rows.n - full;
        arena_release(&step, mark);
    }
    /* Binomial, 12,000 draws of 0.1: standard deviation 33. */
    CHECK(empty > 1200 - 5 * 33 && empty < 1200 + 5 * 33, "%lld empty memories instead of about 1200",
          (long long)empty);
    arena_close(&step);
}

TEST(with_noise_the_memory_stays_within_its_size)
{
    Arena step = {0};
    Packed p;
    const Ragged story = packed_field(&p, "story", 2, "1/2/3/4/5/6/7/8/9/");
    const Batch b = {.B = 1, .all = 1, .example = example};
    for (uint64_t s = 0; s < 50; s++) {
        Tape t = tape_begin(&step);
        t.train = true;
        t.step = s;
        SentenceRows rows;
        Segments memories;
        story_memories(&t, &b, &story, 5, 0.5, &rows, &memories);
        assert_int_equal(rows.n, 5);
    }
    arena_close(&step);
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(the_newest_sentences_are_kept_and_times_count_back),
                                       RUN(empty_memories_come_while_training_at_their_rate),
                                       RUN(with_noise_the_memory_stays_within_its_size)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
