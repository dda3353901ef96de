/* Memory comes aligned, is reused after a release, and its lack is a Status. */
#include "check.h"
#include "comm/arena.h"

TEST(released_memory_is_handed_out_again_without_the_system)
{
    Arena a = {0};
    for (int round = 0; round < 3; round++) {
        const int64_t calls = a.system_calls;
        const ArenaMark mark = arena_mark(&a);
        for (int i = 0; i < 100; i++) {
            char *p = arena_alloc(&a, 100000);
            CHECK(p && (uintptr_t)p % 64 == 0, "piece %d at %p", i, (void *)p);
            memset(p, round, 100000);
        }
        CHECK(round == 0 || a.system_calls == calls, "round %d asked the system again", round);
        arena_release(&a, mark);
    }
    arena_close(&a);
}

TEST(pieces_do_not_overlap)
{
    Arena a = {0};
    unsigned char *p[200];
    for (int i = 0; i < 200; i++) {
        p[i] = arena_alloc(&a, (size_t)i * 997);
        memset(p[i], i, (size_t)i * 997);
    }
    for (int i = 0; i < 200; i++)
        for (int j = 0; j < i * 997; j++) CHECK(p[i][j] == i, "piece %d was overwritten at %d", i, j);
    arena_close(&a);
}

TEST(lack_of_memory_is_a_failure)
{
    Arena a = {.fail_in = 2};
    CHECK(arena_alloc(&a, 8), "the first allocation works");
    CHECK(!arena_alloc(&a, 8), "the second was told to fail");
    CHECK(strstr(status_text(), "out of memory: 8 bytes"), "%s", status_text());
    CHECK(!arena_zeros(&a, INT64_MAX, 8), "an overflowing product fails");
    CHECK(!arena_alloc(&a, SIZE_MAX - 10), "a size near SIZE_MAX fails");
    arena_close(&a);
}

TEST(a_buffer_grows)
{
    Buffer b = {0};
    for (int i = 0; i < 10000; i++) CHECK_OK(buffer_format(&b, "%d,", i % 10));
    CHECK(b.size == 20000 && strlen(b.data) == 20000, "%zu bytes", b.size);
    buffer_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(released_memory_is_handed_out_again_without_the_system),
                                       RUN(pieces_do_not_overlap), RUN(lack_of_memory_is_a_failure),
                                       RUN(a_buffer_grows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
