/* test_bpe.c - byte pair encoding. The stored merges, subwords and vocabulary were made by subword-nmt 0.3.8 (learn-bpe
 * -s 60, apply-bpe, get-vocab) from the text below. */
#include "import_test.h"
#include "io/text/bpe.h"

static const char text[] = "der alte mann sieht den alten hund und der hund sieht den mann "
                           "eine frau und ein mädchen sehen zwei hunde auf der straße "
                           "zwei männer spielen auf der straße und zwei mädchen lachen "
                           "aaaa aaa banana bananas anna hannah mississippi papagei "
                           "der größte hund läuft am längsten , die größten männer lachen "
                           "日本 日本語 語学 東京 東京都 京都 ";

static const char merges[] = "#version: 0.2\n"
                             "e n</w>\n"
                             "a n\n"
                             "u n\n"
                             "e r</w>\n"
                             "un d</w>\n"
                             "h en</w>\n"
                             "d er</w>\n"
                             "s i\n"
                             "m ä\n"
                             "e i</w>\n"
                             "c hen</w>\n"
                             "z w\n"
                             "zw ei</w>\n"
                             "t en</w>\n"
                             "r a\n"
                             "h und</w>\n"
                             "a a\n"
                             "京 都</w>\n"
                             "ö ß\n"
                             "ß e</w>\n"
                             "u f</w>\n"
                             "t ra\n"
                             "tra ße</w>\n"
                             "t e</w>\n"
                             "si e\n"
                             "sie h\n"
                             "sieh t</w>\n"
                             "s traße</w>\n"
                             "s si\n"
                             "r öß\n"
                             "p a\n"
                             "n n\n"
                             "nn er</w>\n"
                             "mä nner</w>\n"
                             "mä d\n"
                             "mäd chen</w>\n"
                             "m an\n"
                             "man n</w>\n"
                             "l ä\n"
                             "l a\n"
                             "la chen</w>\n"
                             "g röß\n"
                             "e i\n"
                             "d en</w>\n"
                             "b an\n"
                             "ban an\n"
                             "an n\n"
                             "a uf</w>\n"
                             "a l\n";

static Bpe *parsed(const char *bytes)
{
    Bpe *b;
    CHECK_OK(bpe_parse(&b, &run, "codes", bytes, strlen(bytes)));
    return b;
}

/* As apply-bpe prints it. */
static const char *applied(Bpe *b, const char *bytes)
{
    static char out[4096];
    size_t at = 0;
    while (*bytes) {
        const size_t n = strcspn(bytes, " ");
        const unsigned char *size;
        int pieces;
        CHECK_OK(bpe_cut(b, (Word){bytes, n}, &size, &pieces));
        for (int i = 0; i < pieces; bytes += size[i++])
            at += (size_t)sprintf(out + at, "%s%.*s%s", at > 0 ? " " : "", size[i], bytes, i < pieces - 1 ? "@@" : "");
        bytes += *bytes == ' ';
    }
    return out;
}

static const char *written(const Bpe *b)
{
    static char out[4096];
    Buffer bytes = {0};
    CHECK_OK(bpe_write(b, &bytes));
    snprintf(out, sizeof out, "%.*s", (int)bytes.size, bytes.data);
    buffer_close(&bytes);
    return out;
}

TEST(the_same_merges_are_learned_in_the_same_order)
{
    Bpe *b;
    CHECK_OK(bpe_learn(&b, &run, counted(text), 60, 2));
    assert_string_equal(written(b), merges);
    bpe_close(b);
    CHECK_OK(bpe_learn(&b, &run, counted(text), 2, 2));
    assert_string_equal(written(b), "#version: 0.2\ne n</w>\na n\n");
    bpe_close(b);
    CHECK_OK(bpe_learn(&b, &run, counted("a b"), 9, 2)); /* there is nothing to merge */
    assert_string_equal(written(b), "#version: 0.2\n");
    bpe_close(b);
}

static const char other[] = "der hunde mädchens banane aaaaaaa x straßen mississippi 日本語 東京都庁 ñandú größter a";

TEST(words_are_cut_into_the_same_subwords)
{
    Bpe *b = parsed(merges);
    static const char expected[] =
        "der h@@ un@@ d@@ e mäd@@ c@@ h@@ e@@ n@@ s banan@@ e aa@@ aa@@ aa@@ a x s@@ tra@@ ß@@ en m@@ i@@ ssi@@ ssi@@ "
        "p@@ p@@ i 日@@ 本@@ 語 東@@ 京@@ 都@@ 庁 ñ@@ an@@ d@@ ú größ@@ t@@ er a";
    for (int i = 0; i < 2; i++) assert_string_equal(applied(b, other), expected); /* the second time from memory */
    assert_string_equal(written(b), merges);
    assert_true(bpe_used(b) > 10);
    bpe_close(b);
}

TEST(a_file_of_version_0_1_is_read_too)
{
    Bpe *b = parsed(strchr(merges, '\n') + 1);
    assert_string_equal(applied(b, other),
                        "d@@ e@@ r h@@ un@@ d@@ e mäd@@ c@@ h@@ e@@ n@@ s banan@@ e aa@@ aa@@ aa@@ a x s@@ tra@@ ß@@ "
                        "e@@ n m@@ i@@ ssi@@ "
                        "ssi@@ p@@ p@@ i 日@@ 本@@ 語 東@@ 京@@ 都@@ 庁 ñ@@ an@@ d@@ ú größ@@ t@@ e@@ r a");
    assert_string_equal(written(b), strchr(merges, '\n') + 1);
    bpe_close(b);
}

TEST(rare_subwords_are_cut_at_the_merges_that_made_them)
{
    Bpe *b = parsed(merges);
    static const char *const frequent[] = {"der", "a@@", "a", "ten", "hund", "und", "e", "s@@", "zwei", "p@@", "i@@"};
    assert_string_equal(applied(b, "größten männer"), "größ@@ ten männer");
    for (int i = 0; i < COUNT(frequent); i++) CHECK_OK(bpe_allow(b, (Word){frequent[i], strlen(frequent[i])}, 3));
    assert_string_equal(applied(b, "der alte mann sieht den alten hund und der hund sieht den mann"),
                        "der a@@ l@@ t@@ e m@@ a@@ n@@ n s@@ i@@ e@@ h@@ t d@@ e@@ n a@@ l@@ ten hund und der hund s@@ "
                        "i@@ e@@ h@@ t d@@ e@@ n m@@ a@@ n@@ n");
    assert_string_equal(
        applied(b, "der größte hund läuft am längsten , die größten männer lachen"),
        "der g@@ r@@ ö@@ ß@@ t@@ e hund l@@ ä@@ u@@ f@@ t a@@ m l@@ ä@@ n@@ g@@ s@@ ten , d@@ i@@ e g@@ "
        "r@@ ö@@ ß@@ ten m@@ ä@@ n@@ n@@ e@@ r l@@ a@@ c@@ h@@ e@@ n");
    assert_string_equal(applied(b, "日本 日本語 語学 東京 東京都 京都 aaaa"),
                        "日@@ 本 日@@ 本@@ 語 語@@ 学 東@@ 京 東@@ 京@@ 都 京@@ 都 a@@ a@@ a@@ a");
    bpe_close(b);
}

TEST(the_list_of_allowed_subwords_is_written_and_read)
{
    Bpe *b = parsed(merges);
    Buffer out = {0};
    CHECK_OK(bpe_parse_allowed(b, "list", "der 5\na@@ 4\n", 11));
    CHECK_OK(bpe_write_allowed(b, &out));
    assert_string_equal(out.data, "der 5\na@@ 4\n");
    buffer_close(&out);
    static const char *const bad[] = {"der", "der x", " 5", "der 5 6", "der "};
    for (int i = 0; i < COUNT(bad); i++) {
        char said[200];
        sprintf(said, "list:1: \"%s\": a subword, a space and a number were expected", bad[i]);
        CHECK_SAYS(bpe_parse_allowed(b, "list", bad[i], strlen(bad[i])), ERR_DATA, said);
    }
    bpe_close(b);
}

TEST(a_file_that_holds_no_merges_is_told_with_its_line)
{
    static const char *const bad[][2] = {
        {"#version: 0.2\na b\na b c\n",
         "codes:3: \"a b c\" is no merge; two subwords with a space between them were expected"},
        {"#version: 0.2\na b\n\nc\n",
         "codes:4: \"c\" is no merge; two subwords with a space between them were expected"},
        {"hello\n", "codes:1: \"hello\" is no merge; two subwords with a space between them were expected"},
        {"#version: 0.3\na b\n", "codes:1: version 0.3 of the merges; 0.1 and 0.2 are known"},
        {"a b\n\xff c\n", "codes:2: not UTF-8 at byte 1"},
    };
    Bpe *b;
    for (int i = 0; i < COUNT(bad); i++)
        CHECK_SAYS(bpe_parse(&b, &run, "codes", bad[i][0], strlen(bad[i][0])), ERR_DATA, bad[i][1]);
    char longest[700];
    memset(longest, 'a', 300);
    strcpy(longest + 300, " b\n");
    CHECK_SAYS(bpe_parse(&b, &run, "codes", longest, strlen(longest)), ERR_DATA,
               "codes:1: a subword of 301 bytes; at most 259 are possible");
}

/* Letters that spell the mark of a word's end, merged by either version of the file, and none of it allowed. */
TEST(a_word_may_spell_the_mark_of_its_end)
{
    static const char *const codes[] = {"#version: 0.2\n< /\n</ w\n</w >\nx </w>\n</w ></w>\n",
                                        "#version: 0.1\n< /\n</ w\n</w >\nx </w>\n</w ></w>\n"};
    static const char *const words[] = {"x", "</w>", "x</w>", "</w>x", "x</w>x", "</w></w>"};
    for (int v = 0; v < 2; v++)
        for (int allow = 0; allow < 2; allow++)
            for (int i = 0; i < COUNT(words); i++) {
                Bpe *b = parsed(codes[v]);
                const unsigned char *size;
                int n;
                size_t sum = 0;
                if (allow) CHECK_OK(bpe_allow(b, (Word){"y", 1}, 1));
                CHECK_OK(bpe_cut(b, (Word){words[i], strlen(words[i])}, &size, &n));
                for (int k = 0; k < n; k++) {
                    assert_in_range(size[k], 1, strlen(words[i]));
                    sum += size[k];
                }
                assert_int_equal(sum, strlen(words[i]));
                bpe_close(b);
            }
}

/* More words than are remembered at a time would be slow to make; a word is cut anew after bpe_allow all the same. */
TEST(what_is_remembered_follows_the_list)
{
    Bpe *b = parsed("#version: 0.2\na b</w>\n");
    assert_string_equal(applied(b, "ab cab"), "ab c@@ ab");
    CHECK_OK(bpe_allow(b, (Word){"b", 1}, 1));
    assert_string_equal(applied(b, "ab cab"), "a@@ b c@@ a@@ b");
    bpe_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(the_same_merges_are_learned_in_the_same_order),
        RUN(words_are_cut_into_the_same_subwords),
        RUN(a_file_of_version_0_1_is_read_too),
        RUN(rare_subwords_are_cut_at_the_merges_that_made_them),
        RUN(the_list_of_allowed_subwords_is_written_and_read),
        RUN(a_word_may_spell_the_mark_of_its_end),
        RUN(a_file_that_holds_no_merges_is_told_with_its_line),
        RUN(what_is_remembered_follows_the_list),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_close(&run);
    arena_close(&scratch);
    return failed;
}
