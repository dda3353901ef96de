/* What people read: printf's own bytes for harmless texts, and escapes for what a terminal would obey. */
#define _XOPEN_SOURCE 700 /* terminals of our own */
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "comm/arena.h"
#include "comm/terminal.h"
#include "comm/utf8.h"

/* The same bytes and length as vsnprintf, whatever the room. */
static void same(const char *format, ...) PRINTF_LIKE(1, 2);
static void same(const char *format, ...)
{
    char want[700], got[700];
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int n = vsnprintf(want, sizeof want, format, args), m = terminal_vformat(got, sizeof got, format, again);
    va_end(again);
    va_end(args);
    CHECK(n == m && strcmp(want, got) == 0, "%s: found \"%s\" (%d), expected \"%s\" (%d)", format, got, m, want, n);
}

TEST(harmless_texts_and_numbers_are_those_of_printf)
{
    static const char *const harmless[] = {"",
                                           "a",
                                           "Gr\xc3\xbc\xc3\x9f\x65",
                                           "\xd8\xb3\xd9\x84\xd8\xa7\xd9\x85",
                                           "\xe4\xbd\xa0\xe5\xa5\xbd",
                                           "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x94\xac",
                                           "\xe0\xa4\xa8\xe2\x80\x8c",
                                           "C:\\n\\x1b",
                                           "a\tb",
                                           "100 %"};
    for (int i = 0; i < (int)(sizeof harmless / sizeof *harmless); i++) same("<%s> %d|%s", harmless[i], i, harmless[i]);
    same("%-8s|%8s|%.3s|%-6.2s|%*s|%-*s|%.*s", "ab", "ab", "abcdef", "abc", 5, "x", 5, "y", 2, "xyz");
    same("%*d|%-*d|%05d|%+d|% d|%x|%#X|%o|%u|%c", -6, 7, 4, 8, -42, 3, 4, 255u, 255u, 8u, UINT_MAX, 'x');
    same("%ld %lld %zu %jd %td %hd %hhu", LONG_MIN, LLONG_MIN, (size_t)-1, INTMAX_MIN, (ptrdiff_t)-5, (short)-3,
         (unsigned char)200);
    same("%" PRId64 " %" PRIx32 " %.0f %.6g %10.3f %-10.2e| %a %f %G", INT64_MAX, UINT32_C(0xabc), 2.5, 1e-7, 3.14159,
         1e300, 0.1, 1e300, INFINITY);
    same("%% 100%%\n\t\x1b[1m ours"); /* the format is our own */
}

static const char *shown(const char *text)
{
    static char out[400];
    terminal_format(out, sizeof out, "<%s>", text);
    return out;
}

TEST(what_acts_is_shown_and_stays_shown)
{
    static const struct {
        const char *text, *want;
    } act[] = {
        {"\n", "\\n"},
        {"\r", "\\r"},
        {"\x1b[2J", "\\x1b[2J"},
        {"\a\b\v\f\x7f", "\\x07\\x08\\x0b\\x0c\\x7f"},
        {"\xc2\x9b", "\\u009b"}, /* CSI in one character */
        {"\xc2\x85", "\\u0085"},
        {"\xe2\x80\xae", "\\u202e"},
        {"\xe2\x81\xa6", "\\u2066"},
        {"\xe2\x80\x8f", "\\u200f"},
        {"\xd8\x9c", "\\u061c"},
        {"\xe2\x80\xa8\xe2\x80\xa9", "\\u2028\\u2029"},
        {"\xef\xbb\xbf", "\\ufeff"},
        {"\xef\xbf\xbe\xef\xbf\xbf", "\\ufffe\\uffff"},
        {"\xf0\x9f\xbf\xbf", "\\U0001ffff"},
        {"\xff\xc3", "\\xff\\xc3"},
        {"\xed\xa0\x80", "\\xed\\xa0\\x80"}, /* a lone surrogate */
        {"\xc0\x8a", "\\xc0\\x8a"},          /* an overlong line break */
    };
    for (int i = 0; i < (int)(sizeof act / sizeof *act); i++) {
        char want[100], twice[110];
        snprintf(want, sizeof want, "<%s>", act[i].want);
        snprintf(twice, sizeof twice, "<%s>", want);
        assert_string_equal(shown(act[i].text), want);
        assert_string_equal(shown(want), twice); /* an escape is harmless */
    }
    for (uint32_t c = 1; c < 0xa0; c++) /* each control, as one byte or two */
        if ((c < 0x20 && c != '\t') || c >= 0x7f) {
            const char one[] = {(char)c, 0}, two[] = {(char)(0xc0 | c >> 6), (char)(0x80 | (c & 0x3f)), 0};
            CHECK(strchr(shown(c < 0x80 ? one : two), '\\'), "U+%04X", (unsigned)c);
        }
}

TEST(only_a_line_of_its_own_keeps_line_breaks)
{
    char out[200];
    const char *made = "a\n\tb\x1b";
    terminal_format(out, sizeof out, "%s", made);
    assert_string_equal(out, "a\n\tb\\x1b");
    terminal_format(out, sizeof out, "x:\n%s\ny", made);
    assert_string_equal(out, "x:\na\n\tb\\x1b\ny");
    terminal_format(out, sizeof out, "%s:\n%s:%s\n%1s", made, made, made, made);
    assert_string_equal(out, "a\\n\tb\\x1b:\na\\n\tb\\x1b:a\\n\tb\\x1b\na\\n\tb\\x1b");
    CHECK(terminal_lines(out, sizeof out, made, 5) == 8, "%s", out);
    assert_string_equal(out, "a\n\tb\\x1b");
}

TEST(a_cut_keeps_whole_characters_and_widths_count_them)
{
    char out[64];
    const char *text = "a\xe4\xbd\xa0\xf0\x9f\x98\x80\xff"; /* 1, 3, 4 bytes, a stray one */
    static const char *const cut[] = {"",
                                      "a",
                                      "a",
                                      "a",
                                      "a\xe4\xbd\xa0",
                                      "a\xe4\xbd\xa0",
                                      "a\xe4\xbd\xa0",
                                      "a\xe4\xbd\xa0",
                                      "a\xe4\xbd\xa0\xf0\x9f\x98\x80"};
    for (int n = 0; n < (int)(sizeof cut / sizeof *cut); n++) {
        terminal_format(out, sizeof out, "%.*s", n, text);
        assert_string_equal(out, cut[n]);
    }
    for (size_t room = 1; room < 20; room++) {
        memset(out, 'z', sizeof out);
        const int n = terminal_format(out, room, "<%s>", text);
        CHECK(n == 14 && strlen(out) < room && utf8_check(out, strlen(out)) == strlen(out) && out[room] == 'z',
              "room %zu: %d, \"%s\"", room, n, out);
    }
    terminal_format(out, sizeof out, "%-4s|%4s|%3s", "\xc3\xbc", "\n", "\xe4\xbd\xa0\xe4\xbd\xa0\xe4\xbd\xa0x");
    assert_string_equal(out, "\xc3\xbc   |  \\n|\xe4\xbd\xa0\xe4\xbd\xa0\xe4\xbd\xa0x");
}

TEST(a_buffer_says_the_same)
{
    Buffer b = {0};
    CHECK_OK(buffer_text(&b, "1 "));
    CHECK_OK(buffer_say(&b, "%s %d\n", "a\nb", 3));
    CHECK_OK(buffer_say(&b, "%s", "c\nd"));
    assert_string_equal(b.data, "1 a\\nb 3\nc\nd");
    CHECK(b.size == strlen(b.data), "%zu", b.size);
    buffer_close(&b);
}

/* What terminal_data writes to fd, which is the standard output meanwhile. */
static void write_to(int fd)
{
    static const char data[] = "a\x1b[2J\tb\xe2\x80\xae\n\xff\n";
    const int keep = dup(STDOUT_FILENO);
    fflush(stdout);
    dup2(fd, STDOUT_FILENO);
    const Status st = terminal_data(data, sizeof data - 1);
    dup2(keep, STDOUT_FILENO);
    close(keep);
    CHECK_OK(st);
}

TEST(data_is_raw_but_where_a_terminal_shows_it)
{
    char got[200];
    int pair[2];
    assert_int_equal(pipe(pair), 0);
    write_to(pair[1]);
    ssize_t n = read(pair[0], got, sizeof got - 1);
    CHECK(n == 13 && memcmp(got, "a\x1b[2J\tb\xe2\x80\xae\n\xff\n", 13) == 0, "%zd bytes", n);
    const int master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) skip(); /* there are no terminals here */
    const int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    write_to(slave);
    n = read(master, got, sizeof got - 1);
    got[n > 0 ? n : 0] = '\0';
    assert_string_equal(got, "a\\x1b[2J\tb\\u202e\r\n\\xff\r\n"); /* the line discipline adds \r */
    setenv("PMIX_RANK", "0", 1);                                  /* a launcher's own terminal passes on to a file */
    write_to(slave);
    n = read(master, got, sizeof got - 1);
    unsetenv("PMIX_RANK");
    CHECK(n > 0 && memchr(got, '\x1b', (size_t)n), "%zd bytes", n);
    close(slave), close(master), close(pair[0]), close(pair[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(harmless_texts_and_numbers_are_those_of_printf),
        RUN(what_acts_is_shown_and_stays_shown),
        RUN(only_a_line_of_its_own_keeps_line_breaks),
        RUN(a_cut_keeps_whole_characters_and_widths_count_them),
        RUN(a_buffer_says_the_same),
        RUN(data_is_raw_but_where_a_terminal_shows_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
