/* A run's folder belongs to one process, and --fresh loses nothing. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "io/file/file.h"
#include "io/record/run.h"

static char folder[64];
static Arena arena;

static int set_up(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/mneme-run-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    char command[200];
    snprintf(command, sizeof command, "rm -r %s", folder);
    arena_close(&arena);
    return system(command);
}

static const char *path_of(const char *name) { return arena_format(&arena, "%s/run/%s", folder, name); }

static void content_is(const char *name, const char *expected)
{
    Buffer b = {0};
    CHECK_OK(file_read(path_of(name), 1 << 20, &b));
    assert_string_equal(b.data ? b.data : "", expected);
    buffer_close(&b);
}

static void make_run(const char *config)
{
    RunFolder *f;
    const RunFact fact[] = {{"ranks", "4"}, {"BLAS core", "Skylake \"X\""}};
    CHECK_OK(run_folder_open(&f, &arena, path_of("."), false));
    CHECK_OK(run_folder_describe(f, config, strlen(config), 2, fact, "mpirun -np 4 mneme train 'a b.yaml'"));
    CHECK_OK(file_write(path_of("checkpoints/step-000000001.h5"), config, strlen(config)));
    CHECK_OK(file_write(path_of("metrics.jsonl"), config, strlen(config)));
    CHECK_OK(run_folder_finish(f, 12, "early stop at \"12\""));
    run_folder_close(f);
}

TEST(a_run_describes_itself)
{
    make_run("seed: 1\n");
    content_is("config.yaml", "seed: 1\n");
    content_is("environment.json", "{\"ranks\": \"4\", \"BLAS core\": \"Skylake \\\"X\\\"\"}\n");
    content_is("command.txt", "mpirun -np 4 mneme train 'a b.yaml'\n");
    CHECK(!file_exists(path_of("lock")), "the lock is gone with the run");
}

TEST(fresh_moves_the_older_run_aside_and_leaves_what_others_put_there)
{
    RunFolder *f;
    for (int round = 1; round <= 3; round++) {
        make_run(round == 1 ? "seed: 1\n" : round == 2 ? "seed: 2\n" : "seed: 3\n");
        CHECK_OK(file_write(path_of("notes.txt"), "mine", 4));
        CHECK_OK(run_folder_open(&f, &arena, path_of("."), true));
        const char *expected = arena_format(&arena, "%s/previous-%d", path_of("."), round);
        assert_string_equal(run_folder_previous(f), expected);
        CHECK(!file_exists(path_of("config.yaml")) && !file_exists(path_of("finished.json")), "moved");
        CHECK(!file_exists(path_of("checkpoints/step-000000001.h5")) && file_is_folder(path_of("checkpoints")), "new");
        run_folder_close(f);
    }
    content_is("notes.txt", "mine");
    content_is("previous-1/config.yaml", "seed: 1\n");
    content_is("previous-2/checkpoints/step-000000001.h5", "seed: 2\n");
    content_is("previous-3/metrics.jsonl", "seed: 3\n");
    CHECK_OK(run_folder_open(&f, &arena, path_of("."), false));
    CHECK(!run_folder_previous(f), "nothing was there to move");
    run_folder_close(f);
}

static int open_in_child(long n)
{
    const pid_t child = fork();
    if (child == 0) {
        RunFolder *f;
        file_fail_in(n, FILE_KILL);
        _exit(run_folder_open(&f, &arena, path_of("."), true) == OK ? 0 : 1);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child, "waitpid");
    return status;
}

/* Killed at any moment of the move, the next start, fresh or not, finds the older run whole and aside. */
TEST(a_move_that_was_killed_is_completed)
{
    for (long n = 1;; n++) {
        CHECK(n < 100, "no end");
        make_run("seed: 7\n");
        const int status = open_in_child(n);
        const bool killed = WIFSIGNALED(status);
        CHECK(killed || status == 0, "the child ended with %d", status);
        RunFolder *f;
        CHECK_OK(run_folder_open(&f, &arena, path_of("."), n % 2 == 0));
        run_folder_close(f);
        if (file_exists(path_of("config.yaml"))) { /* killed before anything was moved: the run is still whole */
            content_is("config.yaml", "seed: 7\n");
            content_is("checkpoints/step-000000001.h5", "seed: 7\n");
            content_is("metrics.jsonl", "seed: 7\n");
        } else {
            content_is("previous-1/config.yaml", "seed: 7\n");
            content_is("previous-1/checkpoints/step-000000001.h5", "seed: 7\n");
            content_is("previous-1/metrics.jsonl", "seed: 7\n");
            CHECK(!file_exists(path_of("metrics.jsonl")), "moved");
        }
        char command[160];
        snprintf(command, sizeof command, "rm -r %s/run", folder);
        CHECK(system(command) == 0, "%s", command);
        if (!killed) {
            CHECK(n > 10, "too few calls: %ld", n);
            break;
        }
    }
}

TEST(two_runs_in_one_folder_are_refused)
{
    RunFolder *f, *second;
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    CHECK_OK(run_folder_open(&f, &arena, path_of("."), false));
    const char *text = arena_format(&arena, "%s/lock: another run is using this folder: process %ld on %s",
                                    path_of("."), (long)getpid(), host);
    CHECK_SAYS(run_folder_open(&second, &arena, path_of("."), false), ERR_IO, text);
    CHECK_SAYS(run_folder_open(&second, &arena, path_of("."), true), ERR_IO, text);
    run_folder_close(f);
    CHECK_OK(run_folder_open(&f, &arena, path_of("."), false));
    run_folder_close(f);
}

TEST(a_killed_run_leaves_no_lock_behind)
{
    const pid_t child = fork();
    if (child == 0) {
        RunFolder *f;
        if (run_folder_open(&f, &arena, path_of("."), false) != OK) _exit(1);
        raise(SIGKILL);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status), "killed");
    CHECK(file_exists(path_of("lock")), "the file is left");
    RunFolder *f;
    CHECK_OK(run_folder_open(&f, &arena, path_of("."), false));
    run_folder_close(f);
}

TEST(a_finished_run_says_so)
{
    int64_t step = 0;
    const char *said = NULL;
    CHECK_OK(run_folder_finished(path_of("."), &arena, &step, &said));
    CHECK(step == -1, "no run is there: %lld", (long long)step);
    make_run("");
    CHECK_OK(run_folder_finished(path_of("."), &arena, &step, &said));
    CHECK(step == 12, "%lld", (long long)step);
    assert_string_equal(said, "early stop at \"12\"");
    RunFolder *f;
    CHECK_OK(run_folder_open(&f, &arena, path_of("."), false));
    CHECK_OK(run_folder_unfinish(f));
    CHECK_OK(run_folder_finished(path_of("."), &arena, &step, NULL));
    CHECK(step == -1, "%lld", (long long)step);
    CHECK_OK(file_write(path_of("finished.json"), "{\"step\": \"x\"}", 13));
    const char *text =
        arena_format(&arena, "%s/finished.json: damaged: expected {\"step\": number, \"state\": text}", path_of("."));
    CHECK_SAYS(run_folder_finished(path_of("."), &arena, &step, NULL), ERR_DATA, text);
    static const char *const states[] = {"{\"a\": [1, {\"b\": \"}\\\"state\\\": \"}]}", "", "\"state\": 1"};
    for (int i = 0; i < 3; i++) {
        CHECK_OK(run_folder_finish(f, i, states[i]));
        CHECK_OK(run_folder_finished(path_of("."), &arena, &step, &said));
        CHECK(step == i && strcmp(said, states[i]) == 0, "%lld: %s", (long long)step, said);
    }
    CHECK_OK(run_folder_finish(f, 3, states[0])); /* no JSON in a string */
    Buffer whole = {0};
    CHECK_OK(file_read(path_of("finished.json"), 1 << 20, &whole));
    CHECK(strstr(whole.data, "\"state\": {\"a\": [1, {"), "%s", whole.data);
    buffer_close(&whole);
    run_folder_close(f);
}

/* Every byte of finished.json, each in its turn: told, or nothing that counts was changed. */
TEST(a_changed_end_is_told)
{
    make_run("");
    Buffer whole = {0};
    int told = 0;
    CHECK_OK(file_read(path_of("finished.json"), 1 << 20, &whole));
    for (size_t at = 0; at < whole.size; at++) {
        int64_t step = 0;
        const char *said = NULL;
        whole.data[at] ^= 1;
        CHECK_OK(file_write(path_of("finished.json"), whole.data, whole.size));
        const Status st = run_folder_finished(path_of("."), &arena, &step, &said);
        CHECK(st == ERR_DATA || (st == OK && step == 12 && strcmp(said, "early stop at \"12\"") == 0),
              "byte %zu: %d, step %lld, %s", at, (int)st, (long long)step, said ? said : "");
        told += st == ERR_DATA;
        whole.data[at] ^= 1;
    }
    CHECK(told > 30, "%d of %zu changes were told", told, whole.size);
    buffer_close(&whole);
}

TEST(a_file_in_the_place_of_the_folder_is_an_io_error)
{
    RunFolder *f;
    const char *path = arena_format(&arena, "%s/run", folder);
    CHECK_OK(file_write(path, "x", 1));
    const char *text = arena_format(&arena, "%s: is in the way of a folder of that name", path);
    CHECK_SAYS(run_folder_open(&f, &arena, path, false), ERR_IO, text);
}

TEST(a_command_reads_back_as_a_shell_wrote_it)
{
    Buffer b = {0};
    const char *const word[] = {"mneme", "train", "a b.yaml", "--set", "run.title=it's", "", "x;y"};
    CHECK_OK(run_folder_command(&b, 7, word));
    assert_string_equal(b.data, "mneme train 'a b.yaml' --set 'run.title=it'\\''s' '' 'x;y'");
    buffer_close(&b);
}

TEST(any_failing_call_is_an_io_error_and_frees_the_lock)
{
    for (long n = 1;; n++) {
        CHECK(n < 200, "no end");
        make_run("seed: 1\n");
        RunFolder *f = NULL;
        file_fail_in(n, EIO);
        Status st = run_folder_open(&f, &arena, path_of("."), true);
        if (st == OK) st = run_folder_describe(f, "a", 1, 0, NULL, "b");
        if (st == OK) st = run_folder_finish(f, 1, "");
        const bool reached = file_fail_left() == 0;
        file_fail_in(0, 0);
        run_folder_close(f);
        /* A file system without locks is no failure: the lock file itself is then the lock. */
        if (reached && st != OK) CHECK_FAILS(st, ERR_IO);
        CHECK_OK(run_folder_open(&f, &arena, path_of("."), false));
        run_folder_close(f);
        if (!reached) break;
    }
}

#define TEST_IN_FOLDER(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST_IN_FOLDER(a_run_describes_itself),
                                       TEST_IN_FOLDER(fresh_moves_the_older_run_aside_and_leaves_what_others_put_there),
                                       TEST_IN_FOLDER(a_move_that_was_killed_is_completed),
                                       TEST_IN_FOLDER(two_runs_in_one_folder_are_refused),
                                       TEST_IN_FOLDER(a_killed_run_leaves_no_lock_behind),
                                       TEST_IN_FOLDER(a_finished_run_says_so),
                                       TEST_IN_FOLDER(a_changed_end_is_told),
                                       TEST_IN_FOLDER(a_file_in_the_place_of_the_folder_is_an_io_error),
                                       TEST_IN_FOLDER(a_command_reads_back_as_a_shell_wrote_it),
                                       TEST_IN_FOLDER(any_failing_call_is_an_io_error_and_frees_the_lock)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
