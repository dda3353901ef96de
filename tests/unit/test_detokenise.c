/* test_detokenise.c - from text to tokens of a corpus and back: marks, subwords, the case of the first word. */
#include "import_test.h"
#include "io/text/detokenise.h"
#include "io/text/form.h"
#include "io/text/joiner.h"

/* Tokens with a bar between them, J for the mark. */
static const char *tokens_of(const Form *f, TextTool *tool, const char *bytes, int64_t *n, Word **token)
{
    static char out[1 << 16];
    TextWords w;
    size_t at = 0;
    CHECK_OK(text_split(tool, bytes, strlen(bytes), &scratch, &w));
    CHECK_OK(form_words(f, w.words, w.word, &scratch, n, token));
    out[0] = '\0';
    for (int64_t i = 0; i < *n; i++) {
        if (i) out[at++] = '|';
        for (const char *p = (*token)[i].text; p < (*token)[i].text + (*token)[i].size; p++) {
            const bool mark = strncmp(p, JOINER, 3) == 0;
            out[at++] = mark ? 'J' : *p;
            p += mark ? 2 : 0;
        }
        out[at] = '\0';
    }
    return out;
}

static const char *back(const DetokeniseHow *how, int64_t n, const Word *token)
{
    static char out[1 << 16];
    Buffer b = {0};
    CHECK_OK(detokenise(how, n, token, NULL, &scratch, &b));
    snprintf(out, sizeof out, "%.*s", (int)b.size, b.data ? b.data : "");
    buffer_close(&b);
    return out;
}

TEST(the_first_word_is_spelled_as_inside_sentences)
{
    Form f = {0};
    TextTool *tool;
    Word *token;
    int64_t n;
    CHECK_OK(truecase_learn(&f.cases, &run,
                            counted("the the Anna NATO iPhone THE a Zeit zeit Zeit 'quoted école ÉCOLE école")));
    CHECK_OK(text_open(&tool, &run, text_of(NULL, "joiner", "true", "lowercase", "false", "sentences", "none", NULL)));
    const DetokeniseHow how = {.truecase = true, .joiner = true};
    static const char *const cases[][2] = {
        {"The dog. The cat", "the|dog|J.|The|cat"},
        {"\"The dog\"", "\"J|the|dog|J\""},
        {"Anna sees", "Anna|sees"},
        {"NATO is", "NATO|is"},
        {"Zeit ist", "Zeit|ist"},
        {"THE END", "THE|END"}, /* a capital would not give it back */
        {"Unknown word", "Unknown|word"},
        {"A b", "a|b"},
        {"École", "école"},
        {"3 The", "3|the"},
        {"...", "J."},
    };
    for (int i = 0; i < COUNT(cases) - 1; i++) {
        assert_string_equal(tokens_of(&f, tool, cases[i][0], &n, &token), cases[i][1]);
        assert_string_equal(back(&how, n, token), cases[i][0]);
    }
    assert_string_equal(tokens_of(&f, tool, "", &n, &token), "");
    assert_string_equal(back(&how, n, token), "");
    text_close(tool);
    form_close(&f);
}

TEST(places_of_words_are_first_behind_a_stop_or_inside)
{
    static const Word word[] = {{"\"" JOINER, 4}, {"The", 3}, {"dog", 3}, {JOINER ".", 4},
                                {"3", 1},         {"A", 1},   {"b", 1}};
    static const TruecasePlace expected[] = {TRUECASE_FIRST,      TRUECASE_FIRST,      TRUECASE_INSIDE, TRUECASE_INSIDE,
                                             TRUECASE_AFTER_STOP, TRUECASE_AFTER_STOP, TRUECASE_INSIDE};
    TruecasePlace place[COUNT(word)];
    truecase_places(COUNT(word), word, place);
    for (int i = 0; i < COUNT(word); i++) CHECK(place[i] == expected[i], "word %d: %d", i, (int)place[i]);
    /* A stop that nothing comes before ends nothing: the first word is still the first. */
    static const Word led[] = {{".", 1}, {"!", 1}, {"The", 3}, {"dog", 3}};
    truecase_places(COUNT(led), led, place);
    CHECK(place[1] == TRUECASE_FIRST && place[2] == TRUECASE_FIRST && place[3] == TRUECASE_INSIDE, "%d %d %d",
          (int)place[1], (int)place[2], (int)place[3]);
}

TEST(forms_are_written_and_read)
{
    Truecase *t, *again;
    Buffer a = {0}, b = {0};
    CHECK_OK(truecase_learn(&t, &run, counted("the the The Anna anna Anna 3 .")));
    CHECK_OK(truecase_write(t, &a));
    assert_string_equal(a.data, "Anna 2\nthe 2\n");
    CHECK_OK(truecase_parse(&again, &run, "cases", a.data, a.size));
    CHECK_OK(truecase_write(again, &b));
    assert_string_equal(b.data, a.data);
    assert_int_equal(truecase_forms(again), 2);
    truecase_close(t);
    truecase_close(again);
    buffer_close(&a);
    buffer_close(&b);
    CHECK_SAYS(truecase_parse(&t, &run, "cases", "a 1\nb\n", 6), ERR_DATA,
               "cases:2: \"b\": a word, a space and a number were expected");
    CHECK_SAYS(truecase_parse(&t, &run, "cases", "a x\n", 4), ERR_DATA,
               "cases:1: \"a x\": a word, a space and a number were expected");
    CHECK_SAYS(truecase_parse(&t, &run, "cases", "a\xff 1\n", 5), ERR_DATA, "cases:1: not UTF-8 at byte 2");
}

TEST(subwords_keep_the_marks_at_the_ends_of_words)
{
    Form f = {0};
    TextTool *tool;
    Word *token, *whole;
    int64_t n, words, word_of[8];
    CHECK_OK(bpe_parse(&f.subwords, &run, "codes", "#version: 0.2\na b\n", 18));
    CHECK_OK(text_open(&tool, &run, text_of(NULL, "joiner", "true", "lowercase", "false", "sentences", "none", NULL)));
    assert_string_equal(tokens_of(&f, tool, "(abab) x-y", &n, &token), "(J|ab@@|a@@|b|J)|x|J-J|y");
    assert_int_equal(n, 8);
    assert_int_equal(form_word_of(n, token, word_of), 6);
    static const int64_t expected[] = {0, 1, 1, 1, 2, 3, 4, 5};
    for (int i = 0; i < 8; i++) assert_int_equal(word_of[i], expected[i]);
    CHECK_OK(form_whole_words(n, token, NULL, &scratch, &words, &whole));
    assert_int_equal(words, 6);
    CHECK(whole[1].size == 4 && memcmp(whole[1].text, "abab", 4) == 0, "%.*s", (int)whole[1].size, whole[1].text);
    assert_string_equal(back(&(DetokeniseHow){.subwords = true, .joiner = true}, n, token), "(abab) x-y");
    assert_string_equal(back(&(DetokeniseHow){.subwords = true, .joiner = true}, 2, token),
                        "(ab"); /* a translation may end anywhere */
    assert_int_equal(form_word_of(2, token, word_of), 2);
    assert_string_equal(tokens_of(&f, tool, "\xe4\xbd\xa0\xe5\xa5\xbd\xef\xbc\x8c\xe4\xb8\x96\xe7\x95\x8c", &n, &token),
                        "\xe4\xbd\xa0@@|\xe5\xa5\xbd|J\xef\xbc\x8cJ|\xe4\xb8\x96@@|\xe7\x95\x8c");
    text_close(tool);
    form_close(&f);
}

/* White space united, none at the ends. */
static void united(const char *bytes, char *out)
{
    size_t to = 0;
    for (; *bytes; bytes++) {
        const bool blank = strchr(" \t", *bytes);
        if (blank && (to == 0 || out[to - 1] == ' ')) continue;
        out[to++] = blank ? ' ' : *bytes;
    }
    while (to > 0 && out[to - 1] == ' ') to--;
    out[to] = '\0';
}

/* Texts of all kinds of pieces: split, cut, and put together they are as they were, white space united. */
static void texts_come_back(bool joiner)
{
    static const char *const piece[] = {"a",
                                        "B",
                                        "e",
                                        "n",
                                        "7",
                                        ".",
                                        ",",
                                        "\"",
                                        "(",
                                        ")",
                                        "-",
                                        "'",
                                        "@",
                                        "$",
                                        "\xc3\xa4",
                                        "\xe4\xb8\x96",
                                        "\xe7\x95\x8c",
                                        "\xe3\x81\x82",
                                        "\xd8\xb3",
                                        "\xd9\x84",
                                        "\xe2\x80\xa6",
                                        "\xf0\x9f\x98\x80",
                                        " ",
                                        " ",
                                        "  ",
                                        "\t",
                                        "@@",
                                        "a@@ ",
                                        "</w>",
                                        "<unk> ",
                                        "\xe0\xb8\x81",
                                        JOINER}; /* the last where words are not joined */
    static const char codes[] = "#version: 0.2\na n\nan e</w>\n7 7\n@ @\n@ @</w>\na @@</w>\n";
    Form f = {0};
    TextTool *tool;
    uint64_t random = 12345;
    CHECK_OK(bpe_parse(&f.subwords, &run, "codes", codes, strlen(codes)));
    CHECK_OK(text_open(&tool, &run,
                       text_of(NULL, "joiner", joiner ? "true" : "false", "words", joiner ? "icu" : "space",
                               "lowercase", "false", "sentences", "none", "normalise", "none", NULL)));
    for (int k = 0; k < 4000; k++) {
        char bytes[512] = "", expected[512] = "";
        size_t at = 0;
        for (int i = 0; i < 5 + k % 40; i++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
            const char *p = piece[(random >> 33) % (COUNT(piece) - joiner)];
            strcpy(bytes + at, p);
            at += strlen(p);
        }
        united(bytes, expected);
        Word *token;
        int64_t n;
        arena_release(&scratch, (ArenaMark){0});
        tokens_of(&f, tool, bytes, &n, &token);
        assert_string_equal(back(&(DetokeniseHow){.subwords = true, .joiner = joiner}, n, token), expected);
    }
    text_close(tool);
    form_close(&f);
}

TEST(every_text_comes_back)
{
    texts_come_back(true);
    texts_come_back(false);
}

/* A word of the source in the place of an unknown one is what it is, whatever it ends in. */
TEST(a_word_from_elsewhere_does_not_go_on)
{
    static const Word token[] = {{"a@@", 3}, {"b@@", 3}, {"c", 1}, {"d@@", 3}};
    static const bool whole[] = {false, true, false, false};
    Buffer b = {0};
    CHECK_OK(detokenise(&(DetokeniseHow){.subwords = true}, COUNT(token), token, whole, &scratch, &b));
    assert_int_equal(b.size, 8);
    assert_memory_equal(b.data, "ab@@ c d", 8);
    buffer_close(&b);
}

/* Lack of memory at every allocation is told, and nothing else happens. */
TEST(every_allocation_may_fail)
{
    static const Word word[] = {{"The", 3}, {"abab", 4}, {JOINER ".", 4}};
    Form f = {0};
    CHECK_OK(truecase_learn(&f.cases, &run, counted("the")));
    CHECK_OK(bpe_parse(&f.subwords, &run, "codes", "#version: 0.2\na b\n", 18));
    for (long k = 1;; k++) {
        Arena arena = {.fail_in = k};
        Word *token;
        int64_t n;
        Buffer out = {0};
        Status st = form_words(&f, 3, word, &arena, &n, &token);
        if (st == OK) st = detokenise(&(DetokeniseHow){true, true, true}, n, token, NULL, &arena, &out);
        const bool reached = arena.fail_in == 0;
        if (!reached) assert_string_equal(out.data, "The abab.");
        buffer_close(&out);
        arena_close(&arena);
        if (!reached) {
            CHECK_OK(st);
            CHECK(k > 8, "too few allocations: %ld", k);
            break;
        }
        CHECK_FAILS(st, ERR_HOST);
    }
    form_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(the_first_word_is_spelled_as_inside_sentences),
        RUN(places_of_words_are_first_behind_a_stop_or_inside),
        RUN(forms_are_written_and_read),
        RUN(subwords_keep_the_marks_at_the_ends_of_words),
        RUN(every_text_comes_back),
        RUN(a_word_from_elsewhere_does_not_go_on),
        RUN(every_allocation_may_fail),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_close(&run);
    arena_close(&scratch);
    return failed;
}
