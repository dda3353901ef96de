/* test_lines.c - what a line is: every kind of end, at every place where the reader's block may end. */
#include "import_test.h"
#include "io/text/line.h"
#include "io/text/linefile.h"
#include "io/text/lines.h"

/* The lines of a text by the words of line.h, one character after the other; each with a | behind it. */
static void plainly(const char *text, size_t n, char *out)
{
    size_t at = 0, begun = 0;
    for (size_t i = 0; i < n; i++) {
        begun = text[i] != '\n' && text[i] != '\r';
        if (begun) out[at++] = text[i];
        if (text[i] == '\n') out[at++] = '|';
        if (text[i] != '\r') continue;
        size_t end = i;
        while (end < n && text[end] == '\r') end++;
        if (end < n && text[end] == '\n') i = end;
        out[at++] = '|';
    }
    if (begun) out[at++] = '|';
    out[at] = '\0';
}

static void by_lines(const char *text, size_t n, size_t before, char *out)
{
    Lines l = {0};
    const char *line;
    size_t size, at = 0;
    bool end;
    FILE *f = fopen("lines", "wb");
    for (size_t i = 0; i < before; i++) putc('x', f);
    fwrite(text, 1, n, f);
    fclose(f);
    CHECK_OK(lines_open(&l, "lines"));
    for (int64_t k = 1;; k++) {
        CHECK_OK(lines_next(&l, &line, &size, &end));
        if (end) break;
        assert_int_equal(l.number, k);
        assert_int_equal(line[size], 0);
        const size_t skip = k == 1 ? before : 0;
        memcpy(out + at, line + skip, size - skip);
        at += size - skip;
        out[at++] = '|';
    }
    out[at] = '\0';
    lines_free(&l);
}

/* All texts of up to six of a, CR and LF, and the longer ones across the end of a block. */
TEST(every_order_of_ends_is_read_as_it_is_said)
{
    static const char letters[] = "a\r\n";
    char text[8], expected[32], got[32];
    for (int n = 1; n <= 6; n++) {
        int texts = 1;
        for (int i = 0; i < n; i++) texts *= 3;
        for (int t = 0; t < texts; t++) {
            for (int i = 0, rest = t; i < n; i++, rest /= 3) text[i] = letters[rest % 3];
            plainly(text, (size_t)n, expected);
            by_lines(text, (size_t)n, 0, got);
            assert_string_equal(got, expected);
            if (n < 5) continue;
            by_lines(text, (size_t)n, (1 << 16) - 3, got);
            assert_string_equal(got, expected);
        }
    }
}

static void check_lines(const char *bytes, size_t n, const char *expected)
{
    char got[256];
    by_lines(bytes, n, 0, got);
    assert_string_equal(got, expected);
}
#define LINES_OF(text, expected) check_lines((text), sizeof(text) - 1, (expected))

TEST(invisible_characters_are_no_part_of_a_line)
{
    LINES_OF("\xef\xbb\xbf"
             "a\r\r\n\xef\xbb\xbf"
             "b\r\r\n",
             "a|b|");
    LINES_OF("a\xef\xbb\xbf"
             "b\n\xef\xbb\xbf\n",
             "ab||");
    LINES_OF("a\fb\n\fc\n", "a b| c|");
    LINES_OF("a\xc2\x85"
             "b\xe2\x80\xa8"
             "c\xe2\x80\xa9\v",
             "a\xc2\x85"
             "b\xe2\x80\xa8"
             "c\xe2\x80\xa9 |");
    LINES_OF("\xe2\x80\x8d\xc2\xa0\xef\xbb\n", "\xe2\x80\x8d\xc2\xa0\xef\xbb|");
}

TEST(files_that_are_no_text_are_told)
{
    Lines l = {0};
    FILE_OF("mark", "\xef\xbb\xbf");
    CHECK_SAYS(lines_open(&l, "mark"), ERR_DATA, "mark: the file is empty but for a byte order mark");
    FILE_OF("wide", "\xff\xfe"
                    "a\0");
    CHECK_SAYS(lines_open(&l, "wide"), ERR_DATA, "wide: UTF-16 text; UTF-8 was expected: iconv -f UTF-16 -t UTF-8");
    lines_free(&l);
}

/* The same text in every form that programs write gives the same lines. */
TEST(files_that_belong_together_have_the_same_lines)
{
    static const char *const forms[] = {"one\n\ntwo three\n", "one\r\n\r\ntwo three\r\n", "one\r\rtwo three\r",
                                        "one\r\r\n\r\r\ntwo three\r\r\n", "\xef\xbb\xbfone\n\r\ntwo three"};
    for (int i = 0; i < COUNT(forms); i++) {
        LineFile f;
        file_of("form", forms[i], strlen(forms[i]));
        CHECK_OK(linefile_read(&f, "form", &run));
        assert_int_equal(f.n, 3);
        assert_int_equal(f.line[0].size, 3);
        assert_int_equal(f.line[1].size, 0);
        assert_memory_equal(f.line[2].text, "two three", 9);
    }
}

int main(void)
{
    folder_make();
    const struct CMUnitTest tests[] = {
        RUN(every_order_of_ends_is_read_as_it_is_said),
        RUN(invisible_characters_are_no_part_of_a_line),
        RUN(files_that_are_no_text_are_told),
        RUN(files_that_belong_together_have_the_same_lines),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    folder_remove();
    arena_close(&run);
    arena_close(&scratch);
    return failed;
}
