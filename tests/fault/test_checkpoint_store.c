/* A checkpoint that was announced is never lost: not by a kill, a full disk, or damage to a newer one. */
#include "checkpoint_model.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/checkpoint/checkpoint_store.h"

static char folder[64];
static Arena arena;
static Model model, other;

static int set_up(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/mneme-store-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    arena_close(&arena);
    return system(command);
}

static const char *path_of(const char *name) { return arena_format(&arena, "%s/%s", folder, name); }

static CheckpointStore *store_with(int last, int best, bool higher)
{
    CheckpointStore *s;
    CHECK_OK(checkpoint_store_open(&s, &arena, folder, (CheckpointKeep){last, best, higher}, NULL));
    return s;
}

static Checkpoint describe(Model *m, int step)
{
    Checkpoint c;
    model_register(&c, &arena, m);
    c.step = step;
    return c;
}

static Status try_save(CheckpointStore *s, int step, double metric)
{
    model_fill(&model, step);
    const Checkpoint c = describe(&model, step);
    return checkpoint_store_save(s, &c, metric);
}

/* The newest is of this step, and every bit of it is there. */
static void newest_is(int step)
{
    const char *path;
    CHECK_OK(checkpoint_newest(folder, &arena, &path, NULL));
    CHECK(path, "there is none, expected step %d", step);
    Checkpoint c = describe(&other, 0);
    CHECK_OK(checkpoint_load(path, &c, CHECKPOINT_RESUME));
    CHECK(c.step == step, "step %lld, expected %d", (long long)c.step, step);
    model_fill(&model, step);
    model_same(&model, &other);
}

static void files_are(const char *expected)
{
    int n;
    const char *const *name;
    Buffer all = {0};
    CHECK_OK(file_list(folder, ".h5", &arena, &n, &name));
    for (int i = 0; i < n; i++) CHECK_OK(buffer_format(&all, "%d ", atoi(name[i] + 5)));
    assert_string_equal(all.data ? all.data : "", expected);
    buffer_close(&all);
}

TEST(the_newest_and_the_best_stay)
{
    static const double accuracy[] = {0.1, 0.9, 0.3, 0.8, NAN, 0.2, 0.5};
    const char *best;
    CheckpointStore *s = store_with(2, 2, true);
    for (int i = 0; i < 7; i++) CHECK_OK(try_save(s, 100 * (i + 1), accuracy[i]));
    files_are("200 400 600 700 ");
    CHECK_OK(checkpoint_best(folder, &arena, &best));
    assert_string_equal(best, path_of("step-000000200.h5"));
    checkpoint_store_close(s);
    s = store_with(1, 1, false); /* another process, another rule: now losses */
    CHECK_OK(try_save(s, 800, 0.3));
    files_are("600 800 ");
    const CheckpointEntry *entry;
    CHECK(checkpoint_store_list(s, &entry) == 2 && entry[0].step == 600 && entry[1].metric == 0.3, "the list");
    checkpoint_store_close(s);
    newest_is(800);
}

TEST(of_equal_measures_the_lower_loss_is_the_best_and_then_the_earlier)
{
    static const struct {
        double metric, loss;
        int best; /* after it was saved */
    } saved[] = {{0.5, 0.4, 1}, {0.5, 0.3, 2}, {0.5, 0.3, 2}, {0.5, NAN, 2},
                 {0.6, 0.9, 5}, {0.6, 0.8, 6}, {NAN, 0.1, 6}};
    const char *best;
    CheckpointStore *s = store_with(1, 1, true);
    for (int i = 0; i < (int)(sizeof saved / sizeof *saved); i++) {
        model_fill(&model, i + 1);
        Checkpoint c = describe(&model, i + 1);
        c.loss = saved[i].loss;
        CHECK_OK(checkpoint_store_save(s, &c, saved[i].metric));
        CHECK_OK(checkpoint_best(folder, &arena, &best));
        assert_string_equal(best, arena_format(&arena, "%s/step-%09d.h5", folder, saved[i].best));
    }
    checkpoint_store_close(s);
    CHECK_OK(file_write(path_of("checkpoints.json"), "{}", 2)); /* damaged: the files say the same */
    CHECK_OK(checkpoint_best(folder, &arena, &best));
    assert_string_equal(best, path_of("step-000000006.h5"));
    s = store_with(1, 1, true); /* the model changes what it computes: what was measured before does not count */
    model_fill(&model, 9);
    Checkpoint c = describe(&model, 9);
    c.best_from = 9;
    CHECK_OK(checkpoint_store_save(s, &c, 0.1));
    checkpoint_store_close(s);
    CHECK_OK(checkpoint_best(folder, &arena, &best));
    assert_string_equal(best, path_of("step-000000009.h5"));
    CHECK_OK(file_write(path_of("checkpoints.json"), "{}", 2));
    CHECK_OK(checkpoint_best(folder, &arena, &best));
    assert_string_equal(best, path_of("step-000000009.h5"));
}

TEST(files_of_others_stay)
{
    CheckpointStore *s = store_with(1, 0, true);
    CHECK_OK(try_save(s, 1, NAN));
    CHECK_OK(file_write(path_of("step-000000002.h5"), "mine", 4)); /* not in the index */
    CHECK_OK(file_write(path_of("notes.txt"), "mine", 4));
    CHECK_OK(try_save(s, 3, NAN));
    CHECK_OK(file_write(path_of("step-000000003.h5"), "changed", 7)); /* no longer what the run wrote */
    CHECK_OK(try_save(s, 4, NAN));
    CHECK_OK(try_save(s, 5, NAN));
    files_are("2 3 5 ");
    CHECK(file_exists(path_of("notes.txt")), "notes");
    checkpoint_store_close(s);
}

TEST(what_a_run_wrote_behind_the_step_it_resumed_from_does_not_push_out_newer_ones)
{
    CheckpointStore *s = store_with(2, 0, true);
    CHECK_OK(try_save(s, 200, NAN));
    CHECK_OK(try_save(s, 300, NAN));
    CHECK_OK(try_save(s, 250, NAN)); /* 300 was damaged, the run went on from 200 */
    files_are("200 250 ");
    newest_is(250);
    checkpoint_store_close(s);
}

/* One save in a child that is killed at its n-th system call; true when it was. */
static bool killed_at(long n, int step)
{
    const pid_t child = fork();
    if (child == 0) {
        CheckpointStore *s = store_with(1, 0, true);
        file_fail_in(n, FILE_KILL);
        _exit(try_save(s, step, NAN) == OK ? 0 : 1);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child, "waitpid");
    CHECK(WIFSIGNALED(status) || status == 0, "the child ended with %d", status);
    return WIFSIGNALED(status);
}

TEST(a_kill_at_any_call_leaves_a_whole_checkpoint)
{
    CheckpointStore *s = store_with(1, 0, true);
    CHECK_OK(try_save(s, 1, NAN));
    checkpoint_store_close(s);
    int newest = 1;
    for (long n = 1;; n++) {
        CHECK(n < 100, "no end");
        const int step = (int)n + 1;
        const bool killed = killed_at(n, step);
        const char *path;
        CHECK_OK(checkpoint_newest(folder, &arena, &path, NULL));
        if (strcmp(path, arena_format(&arena, "%s/step-%09d.h5", folder, step)) == 0) newest = step;
        newest_is(newest);
        if (killed) continue;
        CHECK(newest == step && n > 12, "announced, but step %d is the newest, after %ld calls", newest, n);
        break;
    }
}

TEST(a_failure_of_any_call_is_an_io_error_and_leaves_a_whole_checkpoint)
{
    static const int error[] = {ENOSPC, EIO, FILE_SHORT_WRITE};
    for (int e = 0; e < 3; e++) {
        CheckpointStore *s = store_with(1, 0, true);
        int newest = 1000 * (e + 1), step = newest;
        CHECK_OK(try_save(s, newest, NAN));
        for (long n = 1;; n++) {
            step++;
            file_fail_in(n, error[e]);
            const Status st = try_save(s, step, NAN);
            const bool reached = file_fail_left() == 0;
            file_fail_in(0, 0);
            if (st == OK)
                newest = step;
            else {
                CHECK_FAILS(st, ERR_IO);
                CHECK(error[e] != ENOSPC || strstr(status_message(), ": No space left on device"), "%s",
                      status_message());
                const char *path;
                CHECK_OK(checkpoint_newest(folder, &arena, &path, NULL));
                if (strcmp(path, arena_format(&arena, "%s/step-%09d.h5", folder, step)) == 0) newest = step;
            }
            CHECK(st != OK || error[e] == FILE_SHORT_WRITE || !reached, "call %ld failed in silence", n);
            newest_is(newest);
            if (!reached) break;
        }
        checkpoint_store_close(s);
    }
}

/* A disk that writes other bytes than it was given, and says nothing: the checkpoint is not announced. */
TEST(bytes_that_were_changed_on_their_way_are_found_at_once)
{
    CheckpointStore *s = store_with(1, 0, true);
    CHECK_OK(try_save(s, 1, NAN));
    int seen = 0, newest = 1;
    for (int n = 1; n < 12; n++) {
        const CheckpointEntry *e;
        file_fail_in(n, FILE_CORRUPT);
        const Status st = try_save(s, n + 1, NAN);
        file_fail_in(0, 0);
        seen += st != OK;
        if (st == OK) newest = n + 1;
        CHECK(checkpoint_store_list(s, &e) == 1 && e[0].step == newest, "step %lld instead of %d", (long long)e[0].step,
              newest);
        CHECK(file_exists(path_of(e[0].file)), "the one before is gone");
        if (st == OK) continue;
        CHECK_FAILS(st, ERR_IO);
        CHECK(strstr(status_message(), ".h5: read back with other bytes than were written"), "%s", status_message());
    }
    CHECK(seen == 1, "%d writes of the file were found", seen);
    checkpoint_store_close(s);
}

TEST(what_a_killed_run_left_beside_does_not_block)
{
    CheckpointStore *s = store_with(1, 0, true);
    CHECK_OK(file_write(path_of("step-000000007.h5.part"), "half", 4));
    CHECK_OK(file_write(path_of("checkpoints.json.part"), "half", 4));
    CHECK_OK(try_save(s, 7, NAN));
    newest_is(7);
    CHECK(!file_exists(path_of("step-000000007.h5.part")), "it was used and renamed");
    checkpoint_store_close(s);
}

static void spoil(const char *name, long at, int flip, long length)
{
    FILE *f = fopen(path_of(name), "r+b");
    fseek(f, at, SEEK_SET);
    const int c = fgetc(f);
    fseek(f, at, SEEK_SET);
    fputc(c ^ flip, f);
    fclose(f);
    if (length >= 0) CHECK(truncate(path_of(name), length) == 0, "truncate");
}

TEST(the_one_before_is_used_when_the_newest_is_damaged_and_a_warning_says_so)
{
    CheckpointStore *s = store_with(3, 0, true);
    for (int step = 1; step <= 3; step++) CHECK_OK(try_save(s, step, NAN));
    int64_t size;
    const char *path;
    Buffer warnings = {0};
    CHECK_OK(file_size(path_of("step-000000003.h5"), &size));
    spoil("step-000000003.h5", (long)size / 2, 4, -1);
    CHECK_OK(checkpoint_newest(folder, &arena, &path, &warnings));
    assert_string_equal(path, path_of("step-000000002.h5"));
    CHECK(strstr(warnings.data, path_of("step-000000003.h5")) == warnings.data, "%s", warnings.data);
    newest_is(2);
    spoil("step-000000002.h5", 0, 0, 0); /* 0 bytes: what a full disk or an old kernel leaves */
    newest_is(1);
    spoil("step-000000001.h5", 0, 0, 1000);
    warnings.size = 0;
    CHECK_FAILS(checkpoint_newest(folder, &arena, &path, &warnings), ERR_DATA);
    const char *text = arena_format(&arena, "%s: none of its 3 checkpoints can be used, they are damaged:\n", folder);
    CHECK(strstr(status_message(), text) == status_message(), "%s", status_message());
    CHECK(strstr(status_message(), arena_format(&arena, "\n%s: not an HDF5 file", path_of("step-000000002.h5"))), "%s",
          status_message());
    buffer_close(&warnings);
    checkpoint_store_close(s);
}

TEST(no_checkpoint_is_no_failure)
{
    const char *path = "x";
    CHECK_OK(checkpoint_newest(folder, &arena, &path, NULL));
    CHECK(!path, "%s", path);
    CHECK_OK(checkpoint_newest(path_of("nowhere"), &arena, &path, NULL));
    CHECK(!path, "%s", path);
    CHECK_OK(checkpoint_best(folder, &arena, &path));
    CHECK(!path, "%s", path);
}

/* One bit, anywhere: the file is refused, or all that it gives back is right (padding that nothing uses). */
TEST(a_flipped_bit_is_never_a_wrong_number)
{
    CheckpointStore *s = store_with(1, 0, true);
    CHECK_OK(try_save(s, 9, NAN));
    checkpoint_store_close(s);
    int64_t size;
    int refused = 0, tried = 0;
    CHECK_OK(file_size(path_of("step-000000009.h5"), &size));
    for (int i = 0; i < 400; i++) {
        /* Every byte of the first 100, then spread over the file by the golden ratio. */
        const long at = i < 100 ? i : (long)fmod(i * 0.6180339887498949 * (double)size, (double)size);
        const int flip = 1 << (i % 8);
        spoil("step-000000009.h5", at, flip, -1);
        Checkpoint c = describe(&other, 0);
        memset(&other, 0, sizeof other);
        const Status verified = checkpoint_verify(path_of("step-000000009.h5"));
        const Status loaded = checkpoint_load(path_of("step-000000009.h5"), &c, CHECKPOINT_RESUME);
        CHECK(loaded == OK || loaded == ERR_DATA, "byte %ld: status %d: %s", at, (int)loaded, status_text());
        CHECK(verified == OK || verified == ERR_DATA, "byte %ld: status %d: %s", at, (int)verified, status_text());
        if (loaded == OK) {
            model_fill(&model, 9);
            model_same(&model, &other);
            CHECK(c.step == 9, "byte %ld: step %lld", at, (long long)c.step);
        }
        refused += verified != OK;
        tried++;
        spoil("step-000000009.h5", at, flip, -1);
    }
    CHECK(refused > tried / 2, "%d of %d flips were refused", refused, tried);
}

TEST(a_truncated_file_is_refused_at_every_length)
{
    CheckpointStore *s = store_with(1, 0, true);
    CHECK_OK(try_save(s, 9, NAN));
    checkpoint_store_close(s);
    Buffer whole = {0};
    CHECK_OK(file_read(path_of("step-000000009.h5"), 1 << 28, &whole));
    for (size_t size = 0; size < whole.size; size = size < 2000 ? size + 97 : size + whole.size / 41) {
        CHECK_OK(file_write(path_of("step-000000010.h5"), whole.data, size));
        CHECK_FAILS(checkpoint_verify(path_of("step-000000010.h5")), ERR_DATA);
        newest_is(9);
    }
    buffer_close(&whole);
}

TEST(a_damaged_index_is_set_aside_with_a_warning)
{
    CheckpointStore *s = store_with(1, 0, true);
    CHECK_OK(try_save(s, 1, NAN));
    checkpoint_store_close(s);
    CHECK_OK(file_write(path_of("checkpoints.json"), "{\"files\": [{\"file\": \"../../x\"}]}", 32));
    Buffer warnings = {0};
    CHECK_OK(checkpoint_store_open(&s, &arena, folder, (CheckpointKeep){1, 0, true}, &warnings));
    assert_string_equal(warnings.data,
                        arena_format(&arena,
                                     "%s/checkpoints.json: damaged: an entry without file, step, bytes or digest; the "
                                     "checkpoints it listed will not be removed\n",
                                     folder));
    CHECK_OK(try_save(s, 2, NAN));
    files_are("1 2 ");
    checkpoint_store_close(s);
    buffer_close(&warnings);
}

/* Every byte of the list, each in its turn: what it says of which is best is never something else. */
TEST(a_changed_byte_of_the_index_changes_no_choice)
{
    CheckpointStore *s = store_with(9, 0, true);
    static const double accuracy[] = {0.25, 0.75, 0.5};
    for (int i = 0; i < 3; i++) CHECK_OK(try_save(s, i + 1, accuracy[i]));
    checkpoint_store_close(s);
    int64_t size;
    int told = 0;
    CHECK_OK(file_size(path_of("checkpoints.json"), &size));
    for (long at = 0; at < size; at++)
        for (int bit = 0; bit < 8; bit += 5) {
            const char *best = NULL;
            Buffer warnings = {0};
            spoil("checkpoints.json", at, 1 << bit, -1);
            CHECK_OK(checkpoint_check_index(folder, &arena, &warnings));
            CHECK_OK(checkpoint_best(folder, &arena, &best));
            CHECK(best && strcmp(best, path_of("step-000000002.h5")) == 0, "byte %ld, bit %d: %s", at, bit,
                  best ? best : "none");
            told += warnings.size > 0;
            buffer_close(&warnings);
            spoil("checkpoints.json", at, 1 << bit, -1);
        }
    CHECK(told > size, "%d of %ld changes were told", told, (long)size * 2);
    CHECK_OK(file_write(path_of("checkpoints.json"), "{", 1)); /* all that there was is known again */
    s = store_with(1, 1, true);
    const CheckpointEntry *e;
    CHECK(checkpoint_store_list(s, &e) == 3 && e[1].metric == 0.75 && e[2].step == 3 && e[2].digest[31], "the list");
    CHECK_OK(try_save(s, 4, 0.1));
    files_are("1 2 3 4 ");
    checkpoint_store_close(s);
    const char *best = NULL;
    CHECK_OK(checkpoint_best(folder, &arena, &best));
    assert_string_equal(best, path_of("step-000000002.h5"));
}

TEST(a_checkpoint_that_a_kill_kept_from_the_index_counts)
{
    Buffer list = {0};
    const char *best;
    CheckpointStore *s = store_with(1, 1, true);
    CHECK_OK(try_save(s, 1, 0.5));
    CHECK_OK(file_read(path_of("checkpoints.json"), 1 << 20, &list));
    CHECK_OK(try_save(s, 2, 0.9));
    checkpoint_store_close(s);
    CHECK_OK(file_write(path_of("checkpoints.json"), list.data, list.size)); /* killed before it was written */
    CHECK_OK(file_write(path_of("step-000000007.h5"), "mine", 4));
    CHECK_OK(checkpoint_best(folder, &arena, &best));
    assert_string_equal(best, path_of("step-000000002.h5"));
    CHECK_OK(file_remove(path_of("checkpoints.json"))); /* or lost */
    CHECK_OK(checkpoint_best(folder, &arena, &best));
    assert_string_equal(best, path_of("step-000000002.h5"));
    s = store_with(1, 1, true);
    CHECK_OK(try_save(s, 3, 0.1));
    CHECK_OK(try_save(s, 4, 0.2));
    checkpoint_store_close(s);
    CHECK_OK(checkpoint_best(folder, &arena, &best));
    assert_string_equal(best, path_of("step-000000002.h5"));
    files_are("2 4 7 ");
    buffer_close(&list);
}

TEST(training_goes_on_while_a_copy_is_saved)
{
    int64_t step = 0;
    CheckpointStore *s = store_with(3, 0, true);
    for (int round = 1; round <= 5; round++) {
        model_fill(&model, round);
        const Checkpoint c = describe(&model, round);
        CHECK_OK(checkpoint_store_begin(s, &c, NAN));
        model_fill(&model, 99); /* the next steps change everything */
        if (round % 2) CHECK_OK(checkpoint_store_wait(s, &step));
        CHECK(round % 2 == 0 || step == round, "%lld", (long long)step);
    }
    CHECK_OK(checkpoint_store_poll(s, &step));
    CHECK(step == -1, "told once only");
    newest_is(5);
    files_are("3 4 5 ");
    checkpoint_store_close(s);
}

TEST(a_failure_in_the_background_is_told_at_the_next_poll_and_once)
{
    int64_t step = 0;
    CheckpointStore *s = store_with(3, 0, true);
    CHECK(rmdir(folder) == 0, "rmdir");
    model_fill(&model, 1);
    const Checkpoint c = describe(&model, 1);
    CHECK_OK(checkpoint_store_begin(s, &c, NAN));
    Status st = OK;
    for (int i = 0; i < 2000 && st == OK; i++) {
        st = checkpoint_store_poll(s, &step);
        CHECK(step == -1, "nothing was saved");
        usleep(5000);
    }
    CHECK_FAILS(st, ERR_IO);
    CHECK(strstr(status_message(), ": No such file or directory"), "%s", status_message());
    CHECK_OK(checkpoint_store_poll(s, &step));
    CHECK(mkdir(folder, 0777) == 0, "mkdir");
    CHECK_OK(checkpoint_store_begin(s, &c, NAN));
    CHECK_OK(checkpoint_store_wait(s, &step));
    CHECK(step == 1, "%lld", (long long)step);
    model.value[0] = NAN;
    const char *text = "step 1 is not saved: parameters/word/gru/forward/W holds nan at element 0";
    CHECK_SAYS(checkpoint_store_begin(s, &c, NAN), ERR_CHECK, text);
    CHECK_SAYS(checkpoint_store_save(s, &c, NAN), ERR_CHECK, text);
    checkpoint_store_close(s);
    newest_is(1);
}

#define TEST_IN_FOLDER(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_FOLDER(the_newest_and_the_best_stay),
        TEST_IN_FOLDER(of_equal_measures_the_lower_loss_is_the_best_and_then_the_earlier),
        TEST_IN_FOLDER(files_of_others_stay),
        TEST_IN_FOLDER(what_a_run_wrote_behind_the_step_it_resumed_from_does_not_push_out_newer_ones),
        TEST_IN_FOLDER(a_kill_at_any_call_leaves_a_whole_checkpoint),
        TEST_IN_FOLDER(a_failure_of_any_call_is_an_io_error_and_leaves_a_whole_checkpoint),
        TEST_IN_FOLDER(bytes_that_were_changed_on_their_way_are_found_at_once),
        TEST_IN_FOLDER(what_a_killed_run_left_beside_does_not_block),
        TEST_IN_FOLDER(the_one_before_is_used_when_the_newest_is_damaged_and_a_warning_says_so),
        TEST_IN_FOLDER(no_checkpoint_is_no_failure),
        TEST_IN_FOLDER(a_flipped_bit_is_never_a_wrong_number),
        TEST_IN_FOLDER(a_truncated_file_is_refused_at_every_length),
        TEST_IN_FOLDER(a_damaged_index_is_set_aside_with_a_warning),
        TEST_IN_FOLDER(a_changed_byte_of_the_index_changes_no_choice),
        TEST_IN_FOLDER(a_checkpoint_that_a_kill_kept_from_the_index_counts),
        TEST_IN_FOLDER(training_goes_on_while_a_copy_is_saved),
        TEST_IN_FOLDER(a_failure_in_the_background_is_told_at_the_next_poll_and_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
