/* test_parallel.c - pairs of sentences: files side by side, columns, links, what is left out, faults. */
#include "import_test.h"
#include "io/import/pair.h"

static const TextSettings *spaces(void) { return text_of(NULL, "words", "space", "lowercase", "false", NULL); }

/* All pairs of a split as "source = target [sure; possible]" by lines; those left out as their reason. */
static const char *pairs(const void *settings, const TextSettings *text, const char *split)
{
    static char out[4096];
    Importer *im;
    DataField fields[BATCH_FIELDS];
    const int n = import_fields(import_find("parallel"), settings, fields);
    CHECK_OK(import_open(&im, &run, "parallel", settings, text, split));
    size_t at = 0;
    out[0] = '\0';
    for (bool end = false;;) {
        Record r;
        Example e = {0};
        CHECK_OK(import_next(im, &r, &end));
        if (end) break;
        CHECK_OK(import_parse(im, &r, &scratch, &e));
        if (e.left_out) {
            at += (size_t)sprintf(out + at, "(%s)\n", import_def(im)->reasons[e.left_out - 1]);
            continue;
        }
        at += (size_t)sprintf(out + at, "%s", field_text_of(fields, n, &e, "source"));
        at += (size_t)sprintf(out + at, " = %s", field_text_of(fields, n, &e, "target"));
        if (n > 2) at += (size_t)sprintf(out + at, " [%s", field_text_of(fields, n, &e, "sure"));
        if (n > 2) at += (size_t)sprintf(out + at, "; %s]", field_text_of(fields, n, &e, "possible"));
        at += (size_t)sprintf(out + at, "\n");
    }
    import_close(im);
    return out;
}
#define PAIRS(split, ...) pairs(settings_of("parallel", __VA_ARGS__, NULL), spaces(), split)

static Status fault(const void *settings)
{
    int n;
    return walk("parallel", settings, spaces(), "train", &n);
}
#define FAULT(status, text, ...) CHECK_SAYS(fault(settings_of("parallel", __VA_ARGS__, NULL)), status, text)

TEST(line_i_of_one_file_is_the_translation_of_line_i_of_the_other)
{
    FILE_OF("a.de", "Ein Hund .\r\nZwei  Katzen\n");
    FILE_OF("a.en", "A dog .\nTwo cats");
    FILE_OF("b.de", "Ja\n");
    FILE_OF("b.en", "Yes\n");
    assert_string_equal(PAIRS("train", "train_source", "a.de, b.de", "train_target", "a.en, b.en"),
                        "Ein Hund . = A dog .\nZwei Katzen = Two cats\nJa = Yes\n");
    assert_string_equal(PAIRS("valid", "train_source", "a.de", "train_target", "a.en"), "");
    assert_string_equal(
        PAIRS("test", "train_source", "a.de", "train_target", "a.en", "test_source", "b.de", "test_target", "b.en"),
        "Ja = Yes\n");
}

/* 400 pairs w0 = v0, w1 = v1 ... in two files each. */
static void write_pairs(void)
{
    for (int k = 0; k < 2; k++) {
        FILE *source = fopen(k ? "s2" : "s1", "w"), *target = fopen(k ? "t2" : "t1", "w"),
             *other = fopen(k ? "u2" : "u1", "w");
        for (int i = 200 * k; i < 200 * (k + 1); i++) {
            fprintf(source, "w%d\n", i);
            fprintf(target, "v%d\n", i);
            fprintf(other, "x%d\n", i);
        }
        fclose(source);
        fclose(target);
        fclose(other);
    }
}

/* Counts the pairs of a split by their source; they come in order. Returns how many. */
static int count_pairs(const void *settings, const char *split, int seen[400])
{
    static char text[1 << 16];
    Importer *im;
    int n = 0, last = -1;
    CHECK_OK(import_open(&im, &run, "parallel", settings, spaces(), split));
    for (bool end = false;; n++) {
        Record r;
        int source, target;
        CHECK_OK(import_next(im, &r, &end));
        if (end) break;
        snprintf(text, sizeof text, "%.*s", (int)r.size, r.text);
        CHECK(sscanf(text, "w%d\n%*c%d", &source, &target) == 2 && source == target, "%s", text);
        CHECK(source > last || source < 200, "%d after %d", source, last);
        last = source;
        seen[source]++;
    }
    import_close(im);
    return n;
}

TEST(a_share_of_the_pairs_may_validate)
{
    write_pairs();
    int seen[400] = {0}, valid_of_one[400] = {0}, valid_of_two[400] = {0}, all[400] = {0};
#define SHARE(...)                                                                                                     \
    settings_of("parallel", "train_source", "s1, s2", "train_target", "t1, t2", "valid_share", "0.25", __VA_ARGS__,    \
                NULL)
    const int train = count_pairs(SHARE("seed", "1"), "train", seen),
              valid = count_pairs(SHARE("seed", "1"), "valid", seen);
    for (int i = 0; i < 400; i++) CHECK(seen[i] == 1, "pair %d comes %d times", i, seen[i]);
    CHECK(train + valid == 400 && valid > 65 && valid < 135, "%d of 400 validate", valid); /* 100, deviation 8.7 */
    count_pairs(SHARE("seed", "1"), "valid", valid_of_one);
    count_pairs(SHARE("seed", "2"), "valid", valid_of_two);
    CHECK(memcmp(valid_of_one, valid_of_two, sizeof valid_of_one) != 0, "%s", "another seed chooses the same pairs");
    CHECK(count_pairs(SHARE("seed", "1"), "test", all) == 0, "%s", "test has no files");
    CHECK(count_pairs(SHARE("valid_source", "s2", "valid_target", "t2"), "train", all) == 400, "%s",
          "files to validate on leave no share");
    CHECK(count_pairs(settings_of("parallel", "train_source", "s1, s2", "train_target", "t1, t2", NULL), "valid",
                      all) == 0,
          "%s", "no share is the preset");
}

/* Otherwise the model would know the sources that it is measured on. */
TEST(a_source_with_several_targets_is_on_one_side)
{
    write_pairs();
    int train[400] = {0}, valid[400] = {0};
    const void *s =
        settings_of("parallel", "train_source", "s1", "train_target", "t1, u1", "valid_share", "0.25", NULL);
    CHECK(count_pairs(s, "train", train) + count_pairs(s, "valid", valid) == 400, "%s", "pairs are missing");
    for (int i = 0; i < 200; i++)
        CHECK(train[i] + valid[i] == 2 && train[i] != 1, "source %d: %d to train on, %d to validate on", i, train[i],
              valid[i]);
}

TEST(words_may_come_with_their_characters)
{
    FILE_OF("s", "ab \xd1\x97\xd0\xb6\xd0\xb0 .\n");
    FILE_OF("t", "\xe4\xb8\xad x\n");
    static const char *const links[] = {"[]", "l"};
    FILE_OF("l", "0-1\n");
    for (int k = 0; k < 2; k++) {
        Importer *im;
        DataField fields[BATCH_FIELDS];
        Record r;
        Example e;
        bool end;
        const void *s = settings_of("parallel", "train_source", "s", "train_target", "t", "train_links", links[k],
                                    "characters", "true", NULL);
        const int n = import_fields(import_find("parallel"), s, fields);
        assert_int_equal(n, 4 + 2 * k);
        CHECK_OK(import_open(&im, &run, "parallel", s, spaces(), "train"));
        CHECK_OK(import_next(im, &r, &end));
        CHECK_OK(import_parse(im, &r, &scratch, &e));
        assert_string_equal(field_text_of(fields, n, &e, "source"), "ab \xd1\x97\xd0\xb6\xd0\xb0 .");
        assert_string_equal(field_text_of(fields, n, &e, "source_chars"), "a b / \xd1\x97 \xd0\xb6 \xd0\xb0 / .");
        assert_string_equal(field_text_of(fields, n, &e, "target_chars"), "\xe4\xb8\xad / x");
        if (k) assert_string_equal(field_text_of(fields, n, &e, "sure"), "0 1");
        import_close(im);
    }
}

TEST(a_source_may_have_several_targets)
{
    FILE_OF("s", "a b\nc\n");
    FILE_OF("r0", "A B\nC\n");
    FILE_OF("r1", "A BB\nCC\n");
    assert_string_equal(PAIRS("train", "train_source", "s", "train_target", "r0, r1"),
                        "a b = A B\nc = C\na b = A BB\nc = CC\n");
}

TEST(sides_and_links_may_be_columns)
{
    FILE_OF("x.tsv", "a b\tA B\t0-0 1-1\nc\tC C\t0-1 0-0 0-1\n");
    assert_string_equal(
        PAIRS("train", "train_source", "x.tsv", "source_column", "1", "target_column", "2", "links_column", "3"),
        "a b = A B [0 0 1 1; 0 0 1 1]\nc = C C [0 0 0 1; 0 0 0 1]\n");
    FILE_OF("k", "a b ||| A B C\nc | d ||| C\n");
    FILE_OF("k.gold", "2-3 1-1\n\n");
    assert_string_equal(PAIRS("train", "train_source", "k", "train_target", "k", "train_links", "k.gold", "columns",
                              "bars", "source_column", "1", "target_column", "2", "links_base", "1"),
                        "a b = A B C [0 0 1 2; 0 0 1 2]\nc | d = C [; ]\n");
    /* Bars at a line's end and begin, glued to a word, beside tabs; four are no separator. An empty side is left out. */
    FILE_OF("k", "a b |||\n||| B\na|||A\nb\t|||\tB\nc |||| d ||| C ||||\n");
    assert_string_equal(PAIRS("train", "train_source", "k", "train_target", "k", "columns", "bars", "source_column",
                              "1", "target_column", "2", "max_length", "9"),
                        "(a side without words)\n(a side without words)\na = A\nb = B\nc |||| d = C ||||\n");
}

TEST(links_are_read_in_both_formats)
{
    FILE_OF("s", "a b c\nd\ne f\n");
    FILE_OF("t", "A B C\nD\nE\n");
    FILE_OF("p", "0-0 1?2 2p1\n\n0-0 1-0\n");
    FILE_OF("n", "1 1 1 S\n0001 2 3 P\n1 3 2 P\n\n3 1 1\n3 2 1 S\n");
    static const char expected[] = "a b c = A B C [0 0; 0 0 1 2 2 1]\nd = D [; ]\ne f = E [0 0 1 0; 0 0 1 0]\n";
    assert_string_equal(PAIRS("train", "train_source", "s", "train_target", "t", "train_links", "p"), expected);
    assert_string_equal(PAIRS("train", "train_source", "s", "train_target", "t", "train_links", "n", "links_format",
                              "naacl", "links_base", "1"),
                        expected);
    assert_string_equal(
        PAIRS("train", "train_source", "t", "train_target", "s", "train_links", "p", "links_swapped", "true"),
        "A B C = a b c [0 0; 0 0 1 2 2 1]\nD = d [; ]\nE = e f [0 0 0 1; 0 0 0 1]\n");
}

TEST(a_split_without_links_has_empty_ones)
{
    FILE_OF("s", "a b\n");
    FILE_OF("p", "1-0\n");
    const void *settings = settings_of("parallel", "train_source", "s", "train_target", "s", "test_source", "s",
                                       "test_target", "s", "test_links", "p", NULL);
    assert_string_equal(pairs(settings, spaces(), "train"), "a b = a b [; ]\n");
    assert_string_equal(pairs(settings, spaces(), "test"), "a b = a b [1 0; 1 0]\n");
}

TEST(pairs_are_left_out_with_a_reason)
{
    FILE_OF("s", "a b c d\n\na\na b\n \t \n");
    FILE_OF("t", "A B C\nA\n \nA B C D\n\n");
    const void *settings = settings_of("parallel", "train_source", "s", "train_target", "t", "test_source", "s",
                                       "test_target", "t", "max_length", "3", NULL);
    assert_string_equal(pairs(settings, spaces(), "train"),
                        "(a side longer than source.max_length)\n(a side without words)\n(a side without words)\n"
                        "(a side longer than source.max_length)\n(a side without words)\n");
    assert_string_equal(pairs(settings, spaces(), "test"),
                        "a b c d = A B C\n(a side without words)\n(a side without words)\na b = A B C D\n(a side "
                        "without words)\n");
    FILE_OF("s", "a b c d\na b\na\n");
    FILE_OF("t", "A B\nA B C D\nA B\n");
    assert_string_equal(PAIRS("train", "train_source", "s", "train_target", "t", "max_ratio", "1.9"),
                        "(sides more unequal than source.max_ratio)\n(sides more unequal than source.max_ratio)\n"
                        "(sides more unequal than source.max_ratio)\n");
    assert_string_equal(PAIRS("train", "train_source", "s", "train_target", "t", "max_ratio", "2"),
                        "a b c d = A B\na b = A B C D\na = A B\n");
}

TEST(a_shared_vocabulary_is_one_for_both_sides)
{
    DataField f[BATCH_FIELDS];
    assert_int_equal(import_fields(import_find("parallel"), settings_of("parallel", "train_source", "s", NULL), f), 2);
    assert_string_equal(f[0].vocab, "source");
    assert_string_equal(f[1].vocab, "target");
    assert_int_equal(
        import_fields(import_find("parallel"),
                      settings_of("parallel", "train_source", "s", "shared", "true", "test_links", "x", NULL), f),
        4);
    assert_string_equal(f[0].vocab, "shared");
    assert_string_equal(f[1].vocab, "shared");
    assert_string_equal(f[3].name, "possible");
}

TEST(files_of_different_lengths_are_told_with_the_line)
{
    FILE_OF("s", "a\nb\nc\n");
    FILE_OF("t", "A\nB\n");
    FAULT(ERR_DATA, "t: ends after line 2, but s has a line 3", "train_source", "s", "train_target", "t");
    FAULT(ERR_DATA, "t: ends after line 2, but s has a line 3", "train_source", "t", "train_target", "s");
    FILE_OF("l", "\n\n");
    FAULT(ERR_DATA, "l: ends after line 2, but s has a line 3", "train_source", "s", "train_target", "s", "train_links",
          "l");
    FILE_OF("l", "\n\n\n\n");
    FAULT(ERR_DATA, "s: ends after line 3, but l has a line 4", "train_source", "s", "train_target", "s", "train_links",
          "l");
    FAULT(ERR_INPUT, "source.train_target: no file matches nothing", "train_source", "s", "train_target", "nothing");
    FAULT(ERR_CONFIG,
          "source.train_source: 2 files, but source.train_target: 1 files; there must be as many, or one "
          "source with several targets",
          "train_source", "s, t", "train_target", "s");
    FAULT(ERR_CONFIG, "source.train_links: 2 files, but source.train_target: 1 files", "train_source", "s",
          "train_target", "s", "train_links", "s, t");
    FAULT(ERR_CONFIG,
          "source.train_target is empty: it needs the files of the translations, or source.source_column and "
          "source.target_column of the files of source.train_source",
          "train_source", "s");
}

TEST(bad_text_is_told_with_file_and_line)
{
    FILE_OF("s", "a\nb\n");
    FILE_OF("t", "A\nB\xff\n");
    FAULT(ERR_DATA, "t:2: not UTF-8 at byte 2", "train_source", "s", "train_target", "t");
    FAULT(ERR_DATA, "t:2: not UTF-8 at byte 2", "train_source", "t", "train_target", "s");
    FILE_OF("x", "a\tb\na\n");
    FAULT(ERR_DATA, "x:2: source.target_column is 2, but there are 1 columns", "train_source", "x", "source_column",
          "1", "target_column", "2");
}

TEST(links_that_cannot_be_are_told_with_their_line)
{
    FILE_OF("s", "a b\nc d\n");
    FILE_OF("p", "0-0\n0-0 2-1\n");
    FAULT(ERR_DATA, "p:2: link 2-1 is outside the pair of 2 source and 2 target words (the first word is 0)",
          "train_source", "s", "train_target", "s", "train_links", "p");
    FAULT(ERR_DATA, "p:1: link 0-0 is outside the pair of 2 source and 2 target words (the first word is 1)",
          "train_source", "s", "train_target", "s", "train_links", "p", "links_base", "1");
    static const char *const bad[] = {"0:1", "1-", "-1", "a-b", "1-1x", "1234567890-1", "0?"};
    for (int i = 0; i < COUNT(bad); i++) {
        char text[200];
        file_of("p", text, (size_t)sprintf(text, "\n%s\n", bad[i]));
        sprintf(text, "p:2: \"%s\" is no link; i-j (sure) or i?j (possible) was expected", bad[i]);
        FAULT(ERR_DATA, text, "train_source", "s", "train_target", "s", "train_links", "p");
    }
    FILE_OF("n", "1 1 1\n2 1 3\n");
    FAULT(ERR_DATA, "n:2: link 1-3 is outside the pair of 2 source and 2 target words (the first word is 1)",
          "train_source", "s", "train_target", "s", "train_links", "n", "links_base", "1", "links_format", "naacl");
    FILE_OF("n", "1 1 1\n3 1 1\n");
    FAULT(ERR_DATA, "n:2: a link of sentence 3, but there are 2 pairs", "train_source", "s", "train_target", "s",
          "train_links", "n", "links_base", "1", "links_format", "naacl");
    FILE_OF("n", "2 1 1\n1 1 1\n");
    FAULT(ERR_DATA, "n:2: sentence 1 after sentence 2; they count from 1 and must rise", "train_source", "s",
          "train_target", "s", "train_links", "n", "links_base", "1", "links_format", "naacl");
    FILE_OF("n", "1 1 X\n");
    FAULT(ERR_DATA, "n:1: \"1 1 X\" is no link; \"sentence i j\" with S or P was expected", "train_source", "s",
          "train_target", "s", "train_links", "n", "links_format", "naacl");
}

TEST(links_need_the_words_of_the_file)
{
    int n;
    FILE_OF("s", "a b\n");
    FILE_OF("p", "0-0\n");
    const void *settings = settings_of("parallel", "train_source", "s", "train_target", "s", "train_links", "p", NULL);
    CHECK_SAYS(
        walk("parallel", settings, text_of(NULL, NULL), "train", &n), ERR_CONFIG,
        "text.words is icu, but links count the words of the file: words: space and punctuation: true are needed");
}

/* A token that cannot be seen is no word, one in which a control character hides is two: links speak of tokens. */
TEST(links_of_odd_tokens_reach_the_words_that_they_become)
{
    FILE_OF("s", "a \xe2\x80\x8d b \xe3\x80\x80 c\xc2\x85"
                 "d  e\n");
    FILE_OF("t", "A B\tC D E F\n");
    FILE_OF("p", "0-0 1-1 2-2 3-3 4?4 5-5\n");
    assert_string_equal(PAIRS("train", "train_source", "s", "train_target", "t", "train_links", "p"),
                        "a b c d e = A B C D E F [0 0 1 2 4 5; 0 0 1 2 2 4 3 4 4 5]\n");
}

int main(void)
{
    folder_make();
    const struct CMUnitTest tests[] = {
        RUN(a_share_of_the_pairs_may_validate),
        RUN(a_source_with_several_targets_is_on_one_side),
        RUN(line_i_of_one_file_is_the_translation_of_line_i_of_the_other),
        RUN(words_may_come_with_their_characters),
        RUN(a_source_may_have_several_targets),
        RUN(sides_and_links_may_be_columns),
        RUN(links_are_read_in_both_formats),
        RUN(a_split_without_links_has_empty_ones),
        RUN(pairs_are_left_out_with_a_reason),
        RUN(a_shared_vocabulary_is_one_for_both_sides),
        RUN(files_of_different_lengths_are_told_with_the_line),
        RUN(bad_text_is_told_with_file_and_line),
        RUN(links_that_cannot_be_are_told_with_their_line),
        RUN(links_need_the_words_of_the_file),
        RUN(links_of_odd_tokens_reach_the_words_that_they_become),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    folder_remove();
    arena_close(&run);
    arena_close(&scratch);
    return failed;
}
