/* The dictionary for unknown words, and links between words whose tokens are subwords. */
#include <stdio.h>
#include <unistd.h>

#include "check.h"
#include "trainer/answer/replace.h"
#include "trainer/evaluate/wordlinks.h"

static Arena arena;

static const char *dictionary(const char *text)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/test_replace.%ld", (long)getpid());
    FILE *f = fopen(path, "wb");
    CHECK(f, "%s cannot be written", path);
    CHECK(fputs(text, f) >= 0 && fclose(f) == 0, "%s", path);
    return path;
}

static Word word(const char *text) { return (Word){text, strlen(text)}; }

static void check_found(const Replace *r, const char *source, const char *wanted)
{
    const Word found = replace_find(r, word(source));
    CHECK(found.size == strlen(wanted) && memcmp(found.text, wanted, found.size) == 0, "%s became %.*s, not %s", source,
          (int)found.size, found.text, wanted);
}

TEST(the_first_line_of_a_word_counts_and_others_stay_as_they_are)
{
    Replace r;
    CHECK_OK(replace_read(&r, &arena, dictionary("Hund\tdog\n\nHunde\tdogs\nHund\thound\nB\xc3\xa4r\tthe bear")));
    unlink(dictionary(""));
    check_found(&r, "Hund", "dog");
    check_found(&r, "Hunde", "dogs");
    check_found(&r, "B\xc3\xa4r", "the bear");
    check_found(&r, "Hun", "Hun");
    check_found(&r, "Hundes", "Hundes");
    check_found(&(Replace){0}, "Hund", "Hund");
}

TEST(a_line_that_is_no_pair_is_named)
{
    static const char *const bad[] = {"a\tb\nc d\n", "a\tb\n\tb\n", "a\tb\na\t\n", "a\tb\na\tb\tc\n"};
    for (int i = 0; i < 4; i++) {
        Replace r;
        char text[128];
        const char *path = dictionary(bad[i]);
        snprintf(text, sizeof text, "%s:2: source<TAB>target was expected", path);
        CHECK_SAYS(replace_read(&r, &arena, path), ERR_DATA, text);
    }
    unlink(dictionary(""));
}

TEST(links_of_tokens_become_links_of_words_each_once)
{
    /* source: ab@@ c | d | e, target: x | y@@ z@@ w */
    const Word from[] = {word("ab@@"), word("c"), word("d"), word("e")};
    const Word to[] = {word("x"), word("y@@"), word("z@@"), word("w")};
    const int32_t look[] = {3, 1, 0, 2};
    int mark; /* a Form with subwords: only that it has them is looked at */
    const Form form = {.subwords = (Bpe *)(void *)&mark};
    WordSide source, target;
    CHECK_OK(wordlinks_side(&form, 4, from, &arena, &source));
    CHECK_OK(wordlinks_side(&form, 4, to, &arena, &target));
    CHECK(source.words == 3 && target.words == 2, "%d and %d words", (int)source.words, (int)target.words);
    CHECK(source.word[0].size == 3 && memcmp(source.word[0].text, "abc", 3) == 0, "the first word is not abc");
    AlignmentLinks links;
    const DecodeHypothesis h = {.n = 4, .look = look};
    CHECK_OK(wordlinks_of(&h, &source, &target, &arena, &links));
    static const int64_t wanted[] = {0, 1, 1, 1, 2, 0};
    CHECK(links.n == 3 && memcmp(links.at, wanted, sizeof wanted) == 0, "%d links", (int)links.n);
    CHECK_OK(wordlinks_of(&(DecodeHypothesis){.n = 4}, &source, &target, &arena, &links));
    CHECK(links.n == 0, "links without attention");
    CHECK_OK(wordlinks_side(NULL, 4, to, &arena, &target));
    CHECK(target.words == 4 && target.word_of[3] == 3, "without subwords a token is a word");
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(the_first_line_of_a_word_counts_and_others_stay_as_they_are),
                                       RUN(a_line_that_is_no_pair_is_named),
                                       RUN(links_of_tokens_become_links_of_words_each_once)};
    return cmocka_run_group_tests_name("translate_parts", tests, NULL, NULL);
}
