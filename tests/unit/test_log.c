/* Lines come from rank 0, at the level asked for, whole; the last words come always. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "comm/log.h"

static char text[70000];

/* Run speak() with stderr in a file; its text is then in `text`. */
static const char *heard(void (*speak)(void))
{
    char path[] = "/tmp/test_log_XXXXXX";
    const int file = mkstemp(path), keep = dup(STDERR_FILENO);
    unlink(path);
    dup2(file, STDERR_FILENO);
    speak();
    dup2(keep, STDERR_FILENO);
    close(keep);
    const ssize_t n = pread(file, text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    close(file);
    return text;
}

static void three_levels(void)
{
    log_debug("step %d", 1);
    log_info("step %d", 2);
    log_warn("step %d", 3);
    log_live("50 %%");
}

TEST(lines_are_of_the_level_that_was_asked_for)
{
    const char *const want[] = {"", "mneme: warning: step 3\n", "mneme: step 2\nmneme: warning: step 3\n",
                                "mneme: step 1\nmneme: step 2\nmneme: warning: step 3\n"};
    for (int l = 0; log_level_name(l); l++) {
        LogLevel level;
        CHECK(log_find_level(log_level_name(l), &level), "%s", log_level_name(l));
        log_start(0, 4, level, false);
        assert_string_equal(heard(three_levels), want[l]);
    }
    LogLevel level;
    CHECK(!log_find_level("loud", &level), "there is no such level");
}

TEST(other_ranks_are_quiet_unless_asked)
{
    log_start(2, 4, LOG_INFO, false);
    assert_string_equal(heard(three_levels), "");
    log_start(2, 4, LOG_INFO, true);
    assert_string_equal(heard(three_levels), "mneme: rank 2: step 2\nmneme: rank 2: warning: step 3\n");
}

static void fail_here(void)
{
    (void)status_fail(ERR_DATA, "a.c", 7, "f", "line 7 is empty");
    log_failure(ERR_DATA);
}

TEST(a_failure_is_said_once_and_with_its_trace_only_in_debug)
{
    log_start(0, 4, LOG_QUIET, false);
    assert_string_equal(heard(fail_here), "mneme: line 7 is empty\n");
    log_start(0, 4, LOG_DEBUG, false);
    assert_string_equal(heard(fail_here), "mneme: line 7 is empty\n  at f (a.c:7)\n");
    log_start(1, 4, LOG_DEBUG, false);
    assert_string_equal(heard(fail_here), "");
}

static void long_line(void)
{
    static char big[60000];
    memset(big, 'x', sizeof big - 1);
    log_warn("%s", big);
    log_last_words("%s", big);
}

TEST(a_line_that_is_too_long_is_cut_and_ends)
{
    log_start(0, 1, LOG_INFO, false);
    const char *out = heard(long_line), *end = strchr(out, '\n');
    CHECK(strncmp(out, "mneme: warning: xxx", 19) == 0 && end && end - out > 16384, "%.40s", out);
    CHECK(strncmp(end, "\nmneme: xxx", 11) == 0 && out[strlen(out) - 1] == '\n', "%.40s", end);
}

static void last(void) { log_last_words("rank %d is late", 3); }

TEST(last_words_come_from_any_rank)
{
    log_start(3, 4, LOG_QUIET, false);
    assert_string_equal(heard(last), "mneme: rank 3 is late\n");
}

static void fail_quietly(void)
{
    log_row("a row", false);
    log_last_words("over");
    three_levels();
    fail_here();
}

TEST(a_file_has_all_lines_with_their_time_also_where_the_screen_is_quiet)
{
    char path[] = "/tmp/test_log_file_XXXXXX", line[200];
    close(mkstemp(path));
    log_start(0, 1, LOG_WARN, false);
    CHECK_OK(log_to_file(path));
    assert_string_equal(heard(fail_quietly), "mneme: over\nmneme: warning: step 3\nmneme: line 7 is empty\n");
    static const char *const want[] = {"a row\n", "mneme: over\n", "mneme: step 2\n", "mneme: warning: step 3\n",
                                       "mneme: line 7 is empty\n"};
    FILE *f = fopen(path, "r");
    for (int i = 0; i < 5; i++) {
        int year = 0, second = 0;
        CHECK(fgets(line, sizeof line, f) && sscanf(line, "%d-%*d-%*dT%*d:%*d:%dZ ", &year, &second) == 2 &&
                  year > 2020,
              "%s", line);
        assert_string_equal(line + 21, want[i]);
    }
    CHECK(!fgets(line, sizeof line, f), "%s", line);
    fclose(f);
    unlink(path);
    CHECK_SAYS(log_to_file("/none/here/a.log"), ERR_IO, "/none/here/a.log: No such file or directory");
    CHECK_OK(log_to_file("/dev/full"));
    const char *said = heard(three_levels);
    assert_string_equal(said, "mneme: warning: /dev/full: No space left on device; no more lines are written "
                              "there\nmneme: warning: step 3\n");
}

static void speak_of_others(void)
{
    const char *label = "a\nmneme: done\x1b]0;x\a";
    log_info("label %s", label);
    log_last_words("label %s", label);
    (void)status_fail(ERR_DATA, "a.c", 7, "f", "label %s", label);
    log_failure(ERR_DATA);
    (void)status_fail(ERR_DATA, "a.c", 7, "f", "%s", "two\nlines\x1b[2J");
    log_failure(ERR_DATA);
}

TEST(texts_of_others_are_shown_and_not_obeyed)
{
    log_start(0, 1, LOG_INFO, false);
    const char *line = "mneme: label a\\nmneme: done\\x1b]0;x\\x07\n";
    char want[400];
    snprintf(want, sizeof want, "%s%s%smneme: two\nlines\\x1b[2J\n", line, line, line);
    assert_string_equal(heard(speak_of_others), want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(lines_are_of_the_level_that_was_asked_for),
        RUN(other_ranks_are_quiet_unless_asked),
        RUN(a_failure_is_said_once_and_with_its_trace_only_in_debug),
        RUN(a_line_that_is_too_long_is_cut_and_ends),
        RUN(last_words_come_from_any_rank),
        RUN(a_file_has_all_lines_with_their_time_also_where_the_screen_is_quiet),
        RUN(texts_of_others_are_shown_and_not_obeyed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
