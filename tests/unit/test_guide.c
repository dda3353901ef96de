/* Where words of a corrected text come from: hand-made pairs, and all short ones against every way there is. */
#include "check.h"
#include "io/text/vocab.h"
#include "packed.h"
#include "trainer/generate/guide.h"

typedef struct Pair {
    Batch batch;
    Packed source, target, source_chars, target_chars;
    Arena arena;
    int32_t *wanted;
} Pair;

static void guide(Pair *p, const char *source, const char *target, const char *source_chars, const char *target_chars)
{
    p->batch = (Batch){.n_fields = source_chars ? 4 : 2};
    p->batch.field[0] = packed_field(&p->source, "source", 1, source);
    p->batch.field[1] = packed_field(&p->target, "target", 1, target);
    if (source_chars) p->batch.field[2] = packed_field(&p->source_chars, "source_chars", 2, source_chars);
    if (source_chars) p->batch.field[3] = packed_field(&p->target_chars, "target_chars", 2, target_chars);
    p->batch.B = p->batch.all = p->batch.field[0].count[0];
    CHECK_OK(guide_wanted(&p->arena, &p->batch, &p->wanted));
}

static void expect(Pair *p, int64_t n, const int32_t *want)
{
    assert_int_equal(p->batch.field[1].count[1] + p->batch.B, n);
    for (int64_t i = 0; i < n; i++)
        CHECK(p->wanted[i] == want[i], "position %d comes from %d, not %d", (int)i, (int)p->wanted[i], (int)want[i]);
    arena_close(&p->arena);
}

TEST(words_come_from_where_they_stood)
{
    Pair p = {0};
    /* kept; one less and one more; one replaced; nothing to come from; nothing comes; the end comes from nowhere */
    guide(&p, "4 5 6|4 5 6 7|4 5 6||4", "4 5 6|4 6 8 7|4 9 6|5|", NULL, NULL);
    expect(&p, 16, (const int32_t[]){0, 1, 2, -1, 0, 2, -1, 3, -1, 0, 1, 2, -1, -1, -1, -1});
}

TEST(unknown_words_are_told_apart_by_their_characters)
{
    Pair p = {0};
    guide(&p, "1 1 1|1", "1 1|4 1", "4 5/6/7 8/|4/", "6/7 8/|5/4/");
    expect(&p, 6, (const int32_t[]){1, 2, -1, -1, 0, -1});
    guide(&p, "1 1 5", "1 5", "4/4 5/6/", "4 5/6/"); /* one is the beginning of the other */
    expect(&p, 3, (const int32_t[]){1, 2, -1});
    guide(&p, "1 4 1", "4 1", NULL,
          NULL); /* without characters none is known to be the same, but one takes its place */
    expect(&p, 3, (const int32_t[]){1, 2, -1});
}

/* The cheapest of all ways, by trying each. */
static int cheapest(const int32_t *s, int n, const int32_t *t, int m)
{
    if (n == 0 || m == 0) return 2 * (n + m);
    const int both = cheapest(s + 1, n - 1, t + 1, m - 1) + (s[0] == t[0] ? 0 : 3);
    const int less = cheapest(s + 1, n - 1, t, m) + 2, more = cheapest(s, n, t + 1, m - 1) + 2;
    return both < less ? (both < more ? both : more) : less < more ? less : more;
}

TEST(no_other_way_is_cheaper)
{
    enum { N = 4, M = 4 };
    for (int k = 0; k < 6561; k++) { /* three words, at each of eight places */
        Pair p = {0};
        char text[2][2 * N + 1] = {""};
        int32_t word[2][N];
        for (int i = 0, left = k; i < N + M; i++, left /= 3) {
            word[i / N][i % N] = 4 + left % 3;
            text[i / N][i % N * 2] = (char)('4' + left % 3);
            text[i / N][i % N * 2 + 1] = i % N == N - 1 ? 0 : ' ';
        }
        guide(&p, text[0], text[1], NULL, NULL);
        int cost = 2 * N, before = -1;
        for (int j = 0; j < M; j++) {
            const int from = p.wanted[j];
            CHECK(from < 0 || from > before, "words cross");
            if (from >= 0) before = from;
            cost += from < 0 ? 2 : (word[0][from] == word[1][j] ? 0 : 3) - 2;
        }
        assert_int_equal(cost, cheapest(word[0], N, word[1], M));
        arena_close(&p.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(words_come_from_where_they_stood),
                                       RUN(unknown_words_are_told_apart_by_their_characters),
                                       RUN(no_other_way_is_cheaper)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
