/* test_segment.c - sentences and words: rules, Chinese, settings, faults, and texts of unusual size. */
#include "import_test.h"
#include "io/text/check.h"

static const char *split_as(const TextSettings *s, const char *text)
{
    static char out[4096];
    TextTool *tool;
    TextWords w;
    CHECK_OK(text_open(&tool, &run, s));
    CHECK_OK(text_split(tool, text, strlen(text), &scratch, &w));
    assert_int_equal(text_has_words(tool, text, strlen(text)), w.words > 0);
    text_close(tool);
    size_t at = 0;
    out[0] = '\0';
    for (int64_t i = 0; i < w.sentences; i++) {
        CHECK(w.start[i + 1] > w.start[i], "an empty sentence");
        for (int64_t k = w.start[i]; k < w.start[i + 1]; k++)
            at += (size_t)sprintf(out + at, "%s%.*s",
                                  k > w.start[i] ? "|"
                                  : i            ? " / "
                                                 : "",
                                  (int)w.word[k].size, w.word[k].text);
    }
    return out;
}

TEST(words_and_sentences_follow_the_rules_of_unicode)
{
    const TextSettings *s = text_of(NULL, NULL);
    assert_string_equal(split_as(s, "The cat can't sleep. It costs 3.50 now!"),
                        "the|cat|can't|sleep|. / it|costs|3.50|now|!");
    assert_string_equal(split_as(s, "Der Fluß, GRÖSSE: ΟΔΟΣ"), "der|fluß|,|grösse|:|οδος");
}

TEST(chinese_is_segmented_by_its_dictionary)
{
    const TextSettings *s = text_of(NULL, NULL);
    assert_string_equal(split_as(s, "我们在学校学习中文。今天天气很冷。"),
                        "我们|在|学校|学习|中文|。 / 今天|天气|很|冷|。");
    assert_string_equal(split_as(text_of(NULL, "words", "char", NULL), "我们在 AB"), "我|们|在|a|b");
}

TEST(settings_change_what_a_word_is)
{
    const char *text = "Isn't it 42, or 4.5? YES -- ok";
    assert_string_equal(split_as(text_of(NULL, "punctuation", "false", NULL), text), "isn't|it|42|or|4.5 / yes|ok");
    assert_string_equal(split_as(text_of(NULL, "numbers", "zero", NULL), text), "isn't|it|00|,|or|0.0|? / yes|-|-|ok");
    assert_string_equal(split_as(text_of(NULL, "lowercase", "false", NULL), text),
                        "Isn't|it|42|,|or|4.5|? / YES|-|-|ok");
    assert_string_equal(split_as(text_of(NULL, "words", "space", NULL), text), "isn't|it|42,|or|4.5? / yes|--|ok");
    assert_string_equal(split_as(text_of(NULL, "words", "space", "punctuation", "false", NULL), text),
                        "isn't|it|42,|or|4.5? / yes|ok");
    assert_string_equal(split_as(text_of(NULL, "sentences", "none", NULL), "A b. C d.\nE"), "a|b|.|c|d|.|e");
    assert_string_equal(split_as(text_of(NULL, "sentences", "line", NULL), "A b. C\n\n . d\n"), "a|b|.|c / .|d");
    assert_string_equal(split_as(text_of(NULL, "sentences", "line", "words", "space", NULL), "A b\r\n\r\nc"),
                        "a|b / c");
}

TEST(normal_forms_unite_what_looks_the_same)
{
    assert_string_equal(split_as(text_of(NULL, NULL), "cafe\xcc\x81"), "caf\xc3\xa9");
    assert_string_equal(split_as(text_of(NULL, "normalise", "none", NULL), "cafe\xcc\x81"), "cafe\xcc\x81");
    assert_string_equal(split_as(text_of(NULL, "normalise", "nfkc", NULL), "\xef\xbc\xa1\xef\xbc\xa2 \xef\xac\x81n"),
                        "ab|fin");
}

TEST(wrapped_lines_are_one_sentence_and_an_empty_line_ends_one)
{
    const TextSettings *s = text_of(NULL, NULL);
    assert_string_equal(split_as(s, "a title without stop\n\nThe first line\nis wrapped. Next one"),
                        "a|title|without|stop / the|first|line|is|wrapped|. / next|one");
    assert_string_equal(split_as(s, "one \n  \n two\n\n\n\nthree\n"), "one / two / three");
}

TEST(text_without_words_has_no_sentences)
{
    const TextSettings *s = text_of(NULL, NULL);
    assert_string_equal(split_as(s, ""), "");
    assert_string_equal(split_as(s, " \n\t \xe2\x80\x8b \x01\x7f\n"), ""); /* a zero-width space, control characters */
    assert_string_equal(split_as(text_of(NULL, "punctuation", "false", NULL), "... -- !"), "");
    assert_string_equal(split_as(s, "a\x01"
                                    "b"),
                        "a|b");
}

TEST(a_sentence_of_a_hundred_thousand_words_is_taken_whole)
{
    Buffer b = {0};
    for (int i = 0; i < 100000; i++) CHECK_OK(buffer_text(&b, i % 2 ? "word " : "\xe5\xad\xa6\xe6\xa0\xa1 "));
    TextTool *tool;
    TextWords w;
    CHECK_OK(text_open(&tool, &run, text_of(NULL, NULL)));
    CHECK_OK(text_split(tool, b.data, b.size, &scratch, &w));
    assert_int_equal(w.words, 100000);
    assert_int_equal(w.sentences, 1);
    b.size = 0; /* and a run of Chinese without any gap */
    for (int i = 0; i < 100000; i++) CHECK_OK(buffer_text(&b, "\xe5\xad\xa6\xe6\xa0\xa1"));
    CHECK_OK(text_split(tool, b.data, b.size, &scratch, &w));
    CHECK(w.words >= 99000 && w.sentences == 1, "%lld words", (long long)w.words);
    text_close(tool);
    buffer_close(&b);
}

/* All bytes come back, in words that are full but for the last. */
static void check_long(const TextSettings *s, const char *character, int n)
{
    Buffer b = {0};
    const size_t size = strlen(character);
    for (int i = 0; i < n; i++) CHECK_OK(buffer_text(&b, character));
    TextTool *tool;
    TextWords w;
    CHECK_OK(text_open(&tool, &run, s));
    CHECK_OK(text_split(tool, b.data, b.size, &scratch, &w));
    const int64_t each = (int64_t)(TEXT_WORD_BYTES / size);
    assert_int_equal(w.words, (n + each - 1) / each);
    size_t at = 0;
    for (int64_t i = 0; i < w.words; at += w.word[i++].size) {
        if (i < w.words - 1) assert_int_equal(w.word[i].size, (size_t)each * size);
        CHECK(at + w.word[i].size <= b.size && memcmp(b.data + at, w.word[i].text, w.word[i].size) == 0, "word %d",
              (int)i);
    }
    assert_int_equal(at, b.size);
    text_close(tool);
    buffer_close(&b);
}

TEST(a_very_long_word_becomes_several_and_nothing_is_lost)
{
    check_long(text_of(NULL, NULL), "a", 255);
    check_long(text_of(NULL, NULL), "a", 256);
    check_long(text_of(NULL, "words", "space", NULL), "a", 100000);
    check_long(text_of(NULL, NULL), "\xc3\xa4", 5000);
    check_long(text_of(NULL, "words", "space", NULL), "\xf0\x9f\x98\x80", 300);
}

/* No token holds white space, and none is invisible, however marks, forms and cutting meet. */
TEST(no_word_holds_a_space)
{
    static const char *const texts[] = {"a \xe2\x83\x9d\x62",
                                        "a  \xcc\x88 b",
                                        "\xcc\x81x",
                                        "b \xcc\x87\x63",
                                        "\xc2\xb4 \xc2\xa8 \xc2\xb8 \xe2\x80\xbe a\xc2\xb4\x62",
                                        "a\xc2\xa0\xcc\x81 b",
                                        "\xe3\x80\x80\xcc\x81",
                                        "a\xe2\x80\x8b\x62",
                                        "\t\xcc\x88z",
                                        "\n\xcc\x88z",
                                        "a\xe2\x80\xa8\xcc\x88",
                                        "a\xe2\x80\xaf\xe2\x83\xa3"};
    static const char *const words[] = {"icu", "space", "char"}, *const forms[] = {"nfc", "nfkc", "none"};
    for (int i = 0; i < COUNT(texts); i++)
        for (int w = 0; w < 3; w++)
            for (int f = 0; f < 3; f++)
                for (int low = 0; low < 2; low++) {
                    const char *out = split_as(text_of(NULL, "words", words[w], "normalise", forms[f], "lowercase",
                                                       low ? "true" : "false", NULL),
                                               texts[i]);
                    for (const char *p = out; *p; p++)
                        CHECK((unsigned char)*p > ' ' || strncmp(p, " / ", 3) == 0 || strncmp(p - 1, " / ", 3) == 0 ||
                                  strncmp(p - 2, " / ", 3) == 0,
                              "text %d, %s, %s: \"%s\"", i, words[w], forms[f], out);
                    CHECK(!strstr(out, "||") && !strstr(out, "\xc2\xa0") && !strstr(out, "\xe3\x80\x80") &&
                              !strstr(out, "\xe2\x80\xa8") && !strstr(out, "\xe2\x80\xaf"),
                          "text %d, %s, %s: \"%s\"", i, words[w], forms[f], out);
                }
    assert_string_equal(split_as(text_of(NULL, NULL), "a \xe2\x83\x9d"
                                                      "b"),
                        "a|\xe2\x83\x9d|b");
}

/* Words that look the same are the same; what joins an emoji or letters stays. */
TEST(invisible_characters_make_no_words)
{
    static const char *const words[] = {"icu", "space"};
    for (int w = 0; w < 2; w++) {
        const TextSettings *s = text_of(NULL, "words", words[w], NULL);
        assert_string_equal(split_as(s, "\xef\xbb\xbf"
                                        "cat c\xef\xbb\xbf"
                                        "at ca\xe2\x81\xa0t \xef\xbb\xbf \xe2\x80\x8b"),
                            "cat|cat|cat");
        assert_string_equal(split_as(s, "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x94\xac x"),
                            "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x94\xac|x");
    }
}

static void refused(const char *text, size_t size, const char *message)
{
    CHECK_SAYS(text_require(text, size, "a.txt", 3), ERR_DATA, message);
}

TEST(text_that_is_not_utf8_is_refused_with_its_place)
{
    CHECK_OK(text_require("gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80", 11, "a.txt", 3));
    refused("abcdefghijk\xff", 12, "a.txt:3: not UTF-8 at byte 12");
    refused("a\nb\xc3(", 5, "a.txt:4: not UTF-8 at byte 2");
    refused("\xc0\x80", 2, "a.txt:3: not UTF-8 at byte 1");
    refused("\xed\xa0\x80", 3, "a.txt:3: not UTF-8 at byte 1");
    refused("\xf4\x90\x80\x80", 4, "a.txt:3: not UTF-8 at byte 1");
    refused("ab\xe2\x82", 4, "a.txt:3: not UTF-8 at byte 3");
    refused("ab\0d", 4, "a.txt:3: not text: a 0 byte at byte 3");
}

/* The C library's locale must not matter, nor that of the environment. */
TEST(the_environment_does_not_change_the_words)
{
    const char *plain = arena_text(&run, split_as(text_of(NULL, NULL), "TITLE I \xc4\xb0 x"));
    setenv("LC_ALL", "tr_TR.UTF-8", 1);
    setenv("LANG", "tr_TR.UTF-8", 1);
    assert_string_equal(split_as(text_of(NULL, NULL), "TITLE I \xc4\xb0 x"), plain);
    assert_memory_equal(plain, "title|i|", 8);
}

TEST(every_allocation_of_a_split_may_fail)
{
    TextTool *tool;
    CHECK_OK(text_open(&tool, &run, text_of(NULL, NULL)));
    for (long n = 1;; n++) {
        Arena a = {.fail_in = n};
        TextWords w;
        const Status st = text_split(tool, "a b. C d.", 9, &a, &w);
        const bool reached = a.fail_in == 0;
        arena_close(&a);
        if (!reached) {
            CHECK(st == OK && n > 3, "%ld allocations", n);
            break;
        }
        CHECK_FAILS(st, ERR_HOST);
    }
    text_close(tool);
}

/* J stands for the mark. */
static const char *marked(const char *words, const char *text)
{
    static char out[4096];
    const TextSettings *s =
        text_of(NULL, "joiner", "true", "lowercase", "false", "sentences", "none", "words", words, NULL);
    size_t at = 0;
    for (const char *p = split_as(s, text); *p; p++) {
        const bool mark = strncmp(p, "\xef\xbf\xad", 3) == 0;
        out[at++] = mark ? 'J' : *p;
        p += mark ? 2 : 0;
    }
    out[at] = '\0';
    return out;
}

TEST(words_without_a_space_between_them_are_marked)
{
    assert_string_equal(marked("icu", "Hello (you)!  It's 3.5 kg -- ok?\""),
                        "Hello|(J|you|J)|J!|It's|3.5|kg|-|J-|ok|J?|J\"");
    assert_string_equal(marked("icu", "well-known, $5"), "well|J-J|known|J,|$J|5");
    assert_string_equal(marked("icu", "\xe4\xbd\xa0\xe5\xa5\xbd\xef\xbc\x8c\xe4\xb8\x96\xe7\x95\x8c"),
                        "\xe4\xbd\xa0\xe5\xa5\xbd|J\xef\xbc\x8cJ|\xe4\xb8\x96\xe7\x95\x8c");
    assert_string_equal(marked("char", "ab c"), "a|Jb|c");
    assert_string_equal(marked("space", " ab. c\td"), "ab.|c|d");
    assert_string_equal(marked("icu", "\xef\xbf\xad a"), "\xe2\x96\xa0|a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(words_without_a_space_between_them_are_marked),
        RUN(words_and_sentences_follow_the_rules_of_unicode),
        RUN(chinese_is_segmented_by_its_dictionary),
        RUN(settings_change_what_a_word_is),
        RUN(normal_forms_unite_what_looks_the_same),
        RUN(wrapped_lines_are_one_sentence_and_an_empty_line_ends_one),
        RUN(text_without_words_has_no_sentences),
        RUN(a_sentence_of_a_hundred_thousand_words_is_taken_whole),
        RUN(a_very_long_word_becomes_several_and_nothing_is_lost),
        RUN(no_word_holds_a_space),
        RUN(invisible_characters_make_no_words),
        RUN(text_that_is_not_utf8_is_refused_with_its_place),
        RUN(the_environment_does_not_change_the_words),
        RUN(every_allocation_of_a_split_may_fail),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_close(&run);
    arena_close(&scratch);
    return failed;
}
