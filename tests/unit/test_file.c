/* Files are whole or not there, names and sizes are told, and two runs do not share a folder. */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/file/file.h"
#include "io/file/hash.h"

static char folder[64];

static const char *in(const char *name)
{
    static char path[4][256];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static int setup(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/mneme_file_XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    file_fail_in(0, 0);
    return file_remove_folder(folder) == OK ? 0 : -1;
}

static void check_content(const char *path, const char *text)
{
    Buffer b = {0};
    CHECK_OK(file_read(path, 1000, &b));
    assert_string_equal(b.data, text);
    buffer_close(&b);
}

static int files(void)
{
    Arena a = {0};
    int n = 0;
    const char *const *names;
    CHECK_OK(file_list(folder, NULL, &a, &n, &names));
    arena_close(&a);
    return n;
}

static int open_files(void)
{
    int n = 0;
    for (int fd = 0; fd < 256; fd++) n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static Status nothing(void *context, const void *data, size_t size)
{
    (void)data;
    *(size_t *)context += size;
    return OK;
}

static Status refuse(void *context, const void *data, size_t size)
{
    (void)context, (void)data, (void)size;
    FAIL(ERR_DATA, "refused");
}

TEST(what_is_read_is_closed_again)
{
    Buffer b = {0};
    char hex[HASH_HEX];
    size_t seen = 0;
    CHECK_OK(file_write(in("read"), "abc", 3));
    const int before = open_files();
    CHECK_OK(file_each(in("read"), nothing, &seen));
    CHECK_FAILS(file_each(in("read"), refuse, NULL), ERR_DATA);
    CHECK_OK(file_read(in("read"), 10, &b));
    CHECK_FAILS(file_read(in("read"), 2, &b), ERR_DATA);
    CHECK_OK(hash_file(in("read"), hex, NULL));
    CHECK(seen == 3 && open_files() == before, "%d files are open, before %d", open_files(), before);
    buffer_close(&b);
}

TEST(what_is_written_is_read)
{
    CHECK_OK(file_write(in("a"), "hello", 5));
    check_content(in("a"), "hello");
    CHECK_OK(file_write(in("a"), "", 0));
    check_content(in("a"), "");
    CHECK_OK(file_append(in("a"), "one\n", 4));
    CHECK_OK(file_append(in("a"), "two\n", 4));
    check_content(in("a"), "one\ntwo\n");
    CHECK(files() == 1, "%d files", files());
}

TEST(bad_files_are_named)
{
    Buffer b = {0};
    char text[400];
    snprintf(text, sizeof text, "%s: No such file or directory", in("none"));
    CHECK_SAYS(file_read(in("none"), 10, &b), ERR_INPUT, text);
    snprintf(text, sizeof text, "%s: is a folder, expected a file", folder);
    CHECK_SAYS(file_read(folder, 10, &b), ERR_INPUT, text);
    CHECK(mkfifo(in("pipe"), 0600) == 0, "mkfifo: %s", strerror(errno));
    snprintf(text, sizeof text, "%s: is not a regular file", in("pipe"));
    CHECK_SAYS(file_read(in("pipe"), 10, &b), ERR_INPUT, text);
    CHECK_OK(file_write(in("large"), "0123456789A", 11));
    snprintf(text, sizeof text, "%s: 11 bytes, more than the 10 that are allowed", in("large"));
    CHECK_SAYS(file_read(in("large"), 10, &b), ERR_DATA, text);
    snprintf(text, sizeof text, "%s/deep/er: No such file or directory", in("no"));
    CHECK_SAYS(file_write(in("no/deep/er"), "x", 1), ERR_IO, text);
    CHECK(b.size == 0, "a failed read left %zu bytes", b.size);
    buffer_close(&b);
}

TEST(every_failing_call_of_a_write_leaves_the_older_file)
{
    static const int errors[] = {ENOSPC, EIO, EDQUOT};
    char text[400];
    for (int e = 0; e < 3; e++) {
        CHECK_OK(file_write(in("f"), "older", 5));
        for (long n = 1;; n++) {
            file_fail_in(n, errors[e]);
            const Status st = file_write(in("f"), "newer content", 13);
            const bool reached = file_fail_left() == 0;
            file_fail_in(0, 0);
            CHECK(files() == 1, "call %ld: %d files are there", n, files());
            if (!reached) {
                CHECK_OK(st);
                CHECK(n > 6, "only %ld calls: open, write, sync, close, rename, open folder, sync folder", n - 1);
                break;
            }
            CHECK(st == ERR_IO, "call %ld: status %d", n, (int)st);
            snprintf(text, sizeof text, "%s: %s", n < 6 ? in("f") : folder, strerror(errors[e]));
            assert_string_equal(status_message(), text);
            check_content(in("f"), n < 6 ? "older" : "newer content");
        }
        check_content(in("f"), "newer content");
    }
}

TEST(a_short_write_goes_on)
{
    file_fail_in(2, FILE_SHORT_WRITE);
    CHECK_OK(file_write(in("f"), "0123456789", 10));
    CHECK(file_fail_left() == 0, "the short write was not reached");
    check_content(in("f"), "0123456789");
}

TEST(a_failed_append_takes_its_half_line_back)
{
    CHECK_OK(file_append(in("log"), "first\n", 6));
    for (long n = 1; n <= 2; n++) {
        file_fail_in(n, ENOSPC);
        CHECK_FAILS(file_append(in("log"), "second\n", 7), ERR_IO);
        check_content(in("log"), "first\n");
    }
}

TEST(killed_at_any_call_the_file_is_old_or_new)
{
    for (long n = 1; n <= 8; n++) {
        CHECK_OK(file_write(in("f"), "older", 5));
        const pid_t child = fork();
        if (child == 0) {
            file_fail_in(n, FILE_KILL);
            _exit(file_write(in("f"), "newer content", 13) == OK ? 0 : 1);
        }
        int status = 0;
        CHECK(waitpid(child, &status, 0) == child, "no child");
        CHECK(n == 8 ? WIFEXITED(status) && WEXITSTATUS(status) == 0 : WIFSIGNALED(status), "call %ld: %d", n, status);
        check_content(in("f"), n < 6 ? "older" : "newer content");
    }
}

TEST(a_file_size_limit_is_a_failure_and_no_crash)
{
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit limit = {4096, 4096};
        static char data[10000];
        (void)signal(SIGXFSZ, SIG_IGN);
        if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(2);
        _exit(file_write(in("big"), data, sizeof data) == ERR_IO && strstr(status_message(), "big: File too large")
                  ? 0
                  : 1);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child && status == 0, "status %d", status);
    CHECK(files() == 0, "%d files were left", files());
}

TEST(a_read_only_folder_is_named)
{
    const bool root = geteuid() == 0; /* may write everywhere, so that here it is nobody for a moment */
    char text[400];
    CHECK(chmod(folder, 0555) == 0, "chmod");
    if (root && seteuid(65534) != 0) skip(); /* a container that knows no user but root */
    const Status st = file_write(in("f"), "x", 1);
    CHECK(!root || seteuid(0) == 0, "seteuid");
    CHECK(chmod(folder, 0700) == 0, "chmod");
    snprintf(text, sizeof text, "%s: Permission denied", in("f"));
    CHECK_SAYS(st, ERR_IO, text);
}

TEST(folders_are_made_listed_and_removed)
{
    Arena a = {0};
    int n = 0;
    const char *const *names, *absolute;
    char text[400];
    CHECK_OK(file_make_folder(in("x/y//z")));
    CHECK_OK(file_make_folder(in("x/y/z/")));
    for (const char *c = "bca"; *c; c++) {
        char name[32];
        snprintf(name, sizeof name, "x/y/z/%c.%s", *c, *c == 'c' ? "txt" : "h5");
        CHECK_OK(file_write(in(name), "", 0));
    }
    CHECK_OK(file_list(in("x/y/z"), ".h5", &a, &n, &names));
    CHECK(n == 2 && strcmp(names[0], "a.h5") == 0 && strcmp(names[1], "b.h5") == 0, "%d", n);
    snprintf(text, sizeof text, "%s: is in the way of a folder of that name", in("x/y/z/a.h5"));
    CHECK_SAYS(file_make_folder(in("x/y/z/a.h5")), ERR_IO, text);
    CHECK_FAILS(file_remove_folder(in("x/y")), ERR_IO);
    CHECK_OK(file_remove_folder(in("x/y/z")));
    CHECK_OK(file_remove_folder(in("x/y")));
    CHECK_OK(file_remove_folder(in("x")));
    CHECK_OK(file_remove_folder(in("x")));
    CHECK_OK(file_absolute("./q/r", &a, &absolute));
    CHECK(absolute[0] == '/' && strstr(absolute, "/q/r") && !strstr(absolute, "./"), "%s", absolute);
    arena_close(&a);
}

TEST(lack_of_space_gives_both_figures)
{
    int64_t have = 0;
    CHECK_OK(file_free_space(folder, &have));
    CHECK(have > 0, "%lld", (long long)have);
    CHECK_OK(file_need_space(folder, 1));
    CHECK_FAILS(file_need_space(folder, INT64_MAX), ERR_IO);
    CHECK(strstr(status_message(), "bytes are free on this file system, 9223372036854775807 are needed"), "%s",
          status_message());
}

/* A child takes the lock, says so through the pipe, and waits to be killed. */
static pid_t locked_by_child(const char *path, bool without_locks)
{
    int ends[2];
    char byte = 0;
    CHECK(pipe(ends) == 0, "pipe");
    const pid_t child = fork();
    if (child == 0) {
        FileLock *lock;
        if (without_locks) file_fail_in(2, ENOLCK);
        if (file_lock(&lock, path) != OK || write(ends[1], "x", 1) != 1) _exit(1);
        pause();
        _exit(0);
    }
    (void)close(ends[1]);
    CHECK(read(ends[0], &byte, 1) == 1, "the child has no lock");
    (void)close(ends[0]);
    return child;
}

TEST(a_second_run_in_a_folder_is_refused_until_the_first_is_gone)
{
    char host[200] = "", text[600];
    CHECK(gethostname(host, sizeof host - 1) == 0, "host");
    for (int without = 0; without < 2; without++) {
        FileLock *lock;
        const pid_t child = locked_by_child(in("lock"), without);
        if (without) file_fail_in(2, ENOLCK);
        snprintf(text, sizeof text,
                 without ? "%s: process %ld on %s may be using this folder; if that run has ended, remove this file"
                         : "%s: another run is using this folder: process %ld on %s",
                 in("lock"), (long)child, host);
        CHECK_SAYS(file_lock(&lock, in("lock")), ERR_IO, text);
        CHECK(kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child, "kill");
        CHECK(file_exists(in("lock")), "a killed run leaves its file");
        if (without) file_fail_in(2, ENOLCK);
        CHECK_OK(file_lock(&lock, in("lock")));
        file_fail_in(0, 0);
        file_unlock(lock);
        CHECK(!file_exists(in("lock")), "the file stayed");
    }
}

TEST(a_lock_that_cannot_be_written_leaves_nothing)
{
    for (long n = 1; n <= 3; n++) {
        FileLock *lock;
        if (n == 2) continue; /* no lock there: the file is the lock */
        file_fail_in(n, EROFS);
        CHECK_FAILS(file_lock(&lock, in("lock")), ERR_IO);
        CHECK(files() == 0, "call %ld left a file", n);
    }
}

/* Published values of XXH3 128 (seed 0) for no bytes and for "a". */
TEST(hashes_are_the_published_ones_and_do_not_depend_on_pieces)
{
    char hex[HASH_HEX], other[HASH_HEX];
    hash_bytes("", 0, hex);
    assert_string_equal(hex, "99aa06d3014798d86001c324468d497f");
    hash_bytes("a", 1, hex);
    assert_string_equal(hex, "a96faf705af16834e6c632b61e964e1f");
    static char data[3000000];
    for (size_t i = 0; i < sizeof data; i++) data[i] = (char)(i * i >> 3);
    CHECK_OK(file_write(in("f"), data, sizeof data));
    int64_t bytes = 0;
    CHECK_OK(hash_file(in("f"), other, &bytes));
    hash_bytes(data, sizeof data, hex);
    assert_string_equal(other, hex);
    CHECK(bytes == sizeof data, "%lld", (long long)bytes);
}

#define RUN_IN_FOLDER(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {RUN_IN_FOLDER(what_is_read_is_closed_again),
                                       RUN_IN_FOLDER(what_is_written_is_read),
                                       RUN_IN_FOLDER(bad_files_are_named),
                                       RUN_IN_FOLDER(every_failing_call_of_a_write_leaves_the_older_file),
                                       RUN_IN_FOLDER(a_short_write_goes_on),
                                       RUN_IN_FOLDER(a_failed_append_takes_its_half_line_back),
                                       RUN_IN_FOLDER(killed_at_any_call_the_file_is_old_or_new),
                                       RUN_IN_FOLDER(a_file_size_limit_is_a_failure_and_no_crash),
                                       RUN_IN_FOLDER(a_read_only_folder_is_named),
                                       RUN_IN_FOLDER(folders_are_made_listed_and_removed),
                                       RUN_IN_FOLDER(lack_of_space_gives_both_figures),
                                       RUN_IN_FOLDER(a_second_run_in_a_folder_is_refused_until_the_first_is_gone),
                                       RUN_IN_FOLDER(a_lock_that_cannot_be_written_leaves_nothing),
                                       RUN_IN_FOLDER(hashes_are_the_published_ones_and_do_not_depend_on_pieces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
