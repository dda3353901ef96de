/* Rows reach all three files whole, resumed files look as if nothing had happened, and a full disk is a Status. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "io/file/file.h"
#include "io/record/append.h"
#include "io/record/csv.h"
#include "io/record/events.h"
#include "io/record/metrics.h"

static char folder[64];
static Arena arena;
static const char *const columns[] = {"loss", "rate", "accuracy"};

static int set_up(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/mneme-metrics-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static const char *path_of(const char *name) { return arena_format(&arena, "%s/%s", folder, name); }

static const char EVENTS[] = "events/events.out.tfevents.0000000000.mneme";

static int tear_down(void **state)
{
    (void)state;
    char command[200];
    snprintf(command, sizeof command, "chmod -R u+w %s; rm -r %s", folder, folder);
    arena_close(&arena);
    return system(command);
}

static Status write_steps(Metrics *m, int from, int to)
{
    for (int step = from; step <= to; step++) {
        const double train[] = {1.0 / step, 0.1};
        TRY(metrics_write(m, &(MetricsRow){step, step / 4.0, "train", 1000 + step, 2, columns, train}));
        if (step % 3) continue;
        const double valid[] = {step == 6 ? (double)NAN : 2.0 / step, 0.5};
        const char *const names[] = {"loss", "accuracy"};
        TRY(metrics_write(m, &(MetricsRow){step, step / 4.0, "valid", 1000 + step, 2, names, valid}));
    }
    return OK;
}

static void run_steps(int last, int from, int to)
{
    Metrics *m;
    CHECK_OK(metrics_open(&m, &arena, folder, METRICS_ALL, 3, columns, last));
    CHECK_OK(write_steps(m, from, to));
    CHECK_OK(metrics_sync(m));
    CHECK_OK(metrics_close(m));
}

static Buffer read_whole(const char *name)
{
    Buffer b = {0};
    CHECK_OK(file_read(path_of(name), 1 << 24, &b));
    return b;
}

TEST(each_file_holds_each_row)
{
    run_steps(0, 1, 3);
    Buffer b = read_whole("metrics.jsonl");
    assert_string_equal(
        b.data, "{\"step\": 1, \"epoch\": 0.25, \"kind\": \"train\", \"time\": 1001, \"loss\": 1, \"rate\": 0.1}\n"
                "{\"step\": 2, \"epoch\": 0.5, \"kind\": \"train\", \"time\": 1002, \"loss\": 0.5, \"rate\": 0.1}\n"
                "{\"step\": 3, \"epoch\": 0.75, \"kind\": \"train\", \"time\": 1003, \"loss\": 0.3333333333333333, "
                "\"rate\": 0.1}\n"
                "{\"step\": 3, \"epoch\": 0.75, \"kind\": \"valid\", \"time\": 1003, \"loss\": 0.6666666666666666, "
                "\"accuracy\": "
                "0.5}\n");
    buffer_close(&b);
    b = read_whole("metrics.csv");
    assert_string_equal(b.data, "step,epoch,kind,time,loss,rate,accuracy\n"
                                "1,0.25,train,1001.000,1,0.1,\n"
                                "2,0.5,train,1002.000,0.5,0.1,\n"
                                "3,0.75,train,1003.000,0.3333333333333333,0.1,\n"
                                "3,0.75,valid,1003.000,0.6666666666666666,,0.5\n");
    buffer_close(&b);
}

TEST(what_is_not_finite_is_null_or_nan)
{
    run_steps(0, 6, 6);
    Buffer b = read_whole("metrics.jsonl");
    CHECK(strstr(b.data, "\"kind\": \"valid\", \"time\": 1006, \"loss\": null"), "%s", b.data);
    buffer_close(&b);
    b = read_whole("metrics.csv");
    CHECK(strstr(b.data, "6,1.5,valid,1006.000,nan,,0.5\n"), "%s", b.data);
    buffer_close(&b);
}

TEST(a_resumed_run_leaves_the_same_files_as_one_that_was_never_interrupted)
{
    static const char *const file[] = {"metrics.jsonl", "metrics.csv", EVENTS};
    run_steps(0, 1, 20);
    Buffer whole[3];
    for (int i = 0; i < 3; i++) whole[i] = read_whole(file[i]);
    for (int checkpoint = 0; checkpoint < 20; checkpoint++) {
        /* A kill leaves half a record behind, or a step that the checkpoint does not know. */
        for (int i = 0; i < 3; i++) {
            FILE *f = fopen(path_of(file[i]), "ab");
            fputs("{\"step\": 21, \"ep", f);
            fclose(f);
        }
        run_steps(checkpoint, checkpoint + 1, 20);
        for (int i = 0; i < 3; i++) {
            Buffer now = read_whole(file[i]);
            CHECK(now.size == whole[i].size && memcmp(now.data, whole[i].data, now.size) == 0,
                  "%s differs after a resume from step %d: %zu bytes, expected %zu", file[i], checkpoint, now.size,
                  whole[i].size);
            buffer_close(&now);
        }
    }
    for (int i = 0; i < 3; i++) buffer_close(&whole[i]);
}

/* Figures of the end belong to one end: a run that ends again, or goes on further, has them once. */
TEST(what_was_written_at_the_end_is_written_anew)
{
    static const char *const file[] = {"metrics.jsonl", "metrics.csv", EVENTS};
    Buffer whole[3];
    run_steps(0, 1, 9);
    for (int i = 0; i < 3; i++) whole[i] = read_whole(file[i]);
    for (int last = 6; last <= 9; last++) {
        Metrics *m;
        CHECK_OK(metrics_open(&m, &arena, folder, METRICS_ALL, 3, columns, 6));
        CHECK_OK(write_steps(m, 7, last));
        for (int k = 0; k < 2; k++) {
            const double value[] = {3, 4};
            const char *kind = k ? "final_test" : "final_train";
            CHECK_OK(metrics_write(m, &(MetricsRow){last, last / 4.0, kind, 0, 2, columns, value}));
        }
        CHECK_OK(metrics_close(m));
        run_steps(last, last + 1, 9);
        for (int i = 0; i < 3; i++) {
            Buffer now = read_whole(file[i]);
            CHECK(now.size == whole[i].size && memcmp(now.data, whole[i].data, now.size) == 0,
                  "%s differs after an end at step %d: %zu bytes, expected %zu", file[i], last, now.size,
                  whole[i].size);
            buffer_close(&now);
        }
    }
    for (int i = 0; i < 3; i++) buffer_close(&whole[i]);
}

/* Cells of the header as a reader of RFC 4180 finds them in each row: all have as many. */
static void rows_have(int cells)
{
    Buffer b = read_whole("metrics.csv");
    int n = 1, rows = 0;
    bool quoted = false;
    for (const char *p = b.data; *p; p++) {
        if (*p == '"') quoted = !quoted;
        if (*p == ',' && !quoted) n++;
        if (*p != '\n' || quoted) continue;
        CHECK(n == cells, "row %d has %d cells, expected %d: %s", rows, n, cells, b.data);
        n = 1;
        rows++;
    }
    CHECK(rows > 2 && !quoted, "%d rows", rows);
    buffer_close(&b);
}

TEST(a_line_break_in_the_name_of_a_column_is_no_end_of_a_row)
{
    static const char *const odd[] = {"f1/two\nlines", "f1/7\n999999", "f1/a\r\n1,\"b\"",
                                      "loss",          "f1/\n",        "f1/new\n12"};
    const double value[] = {1, 2, 3, 4, 5, 6};
    for (int n = 4; n <= 6; n++)
        for (int step = 2; step <= 3; step++) { /* the same columns again, and one more */
            Metrics *m;
            CHECK_OK(metrics_open(&m, &arena, folder, METRICS_ALL, n, odd, n == 4 && step == 2 ? 0 : step - 1));
            CHECK_OK(write_steps(m, step, step));
            CHECK_OK(metrics_write(m, &(MetricsRow){step, 0, "valid", 0, n, odd, value}));
            CHECK_OK(metrics_close(m));
            rows_have(n + 4);
        }
}

TEST(a_column_may_come_later_and_files_that_are_not_wanted_are_not_made)
{
    Metrics *m;
    static const char *const name[] = {"loss", "error/one"}, *const first[] = {"loss"};
    const double value[] = {1, 0.5};
    CHECK_OK(metrics_open(&m, &arena, folder, METRICS_CSV, 1, first, -1));
    CHECK_OK(metrics_write(m, &(MetricsRow){1, 0, "train", 0, 1, name, value}));
    CHECK_OK(metrics_columns(m, 2, name));
    CHECK_OK(metrics_columns(m, 2, name));
    CHECK_OK(metrics_write(m, &(MetricsRow){2, 0, "valid", 0, 2, name, value}));
    CHECK_OK(metrics_close(m));
    Buffer b = read_whole("metrics.csv");
    assert_string_equal(b.data, "step,epoch,kind,time,loss,error/one\n1,0,train,0.000,1,\n2,0,valid,0.000,1,0.5\n");
    buffer_close(&b);
    CHECK(!file_exists(arena_format(&arena, "%s/events", folder)), "no events were wanted");
    CHECK_OK(metrics_open(&m, &arena, folder, 0, 1, first, 2));
    CHECK_OK(metrics_columns(m, 2, name));
    CHECK_OK(metrics_write(m, &(MetricsRow){3, 0, "train", 0, 2, name, value}));
    CHECK_OK(metrics_sync(m));
    CHECK_OK(metrics_close(m));
    b = read_whole("metrics.jsonl");
    CHECK(strstr(b.data, "\n{\"step\": 3,"), "%s", b.data);
    buffer_close(&b);
}

TEST(a_column_that_a_resumed_run_adds_comes_behind_the_others)
{
    Metrics *m;
    static const char *const other[] = {"accuracy", "a \"new\", one", "loss"};
    run_steps(0, 1, 3);
    CHECK_OK(metrics_open(&m, &arena, folder, METRICS_ALL, 3, other, 2));
    const double value[] = {0.75, 7, 0.25};
    CHECK_OK(metrics_write(m, &(MetricsRow){3, 0.75, "train", 0, 3, other, value}));
    CHECK_OK(metrics_close(m));
    Buffer b = read_whole("metrics.csv");
    assert_string_equal(b.data, "step,epoch,kind,time,loss,rate,accuracy,\"a \"\"new\"\", one\"\n"
                                "1,0.25,train,1001.000,1,0.1,,\n"
                                "2,0.5,train,1002.000,0.5,0.1,,\n"
                                "3,0.75,train,0.000,0.25,,0.75,7\n");
    buffer_close(&b);
    run_steps(3, 4, 4); /* the quoted header is read back, and its order stays */
    b = read_whole("metrics.csv");
    CHECK(strstr(b.data, "\n4,1,train,1004.000,0.25,0.1,,\n") && !strstr(b.data, "one\"\"\""), "%s", b.data);
    buffer_close(&b);
}

TEST(checksums_are_those_that_others_compute)
{
    unsigned char bytes[32] = {0}; /* vectors of RFC 3720, B.4 */
    CHECK(events_crc32c("123456789", 9) == 0xe3069283u, "%08x", events_crc32c("123456789", 9));
    CHECK(events_crc32c(bytes, 32) == 0x8a9136aau, "%08x", events_crc32c(bytes, 32));
    memset(bytes, 0xff, sizeof bytes);
    CHECK(events_crc32c(bytes, 32) == 0x62a8ab43u, "%08x", events_crc32c(bytes, 32));
    for (int i = 0; i < 32; i++) bytes[i] = (unsigned char)i;
    CHECK(events_crc32c(bytes, 32) == 0x46dd794eu, "%08x", events_crc32c(bytes, 32));
}

TEST(another_reader_finds_the_scalars_in_the_events)
{
    const char *source = getenv("SOURCE");
    char command[512], line[128];
    if (!source || system("python3 -c 1 2>/dev/null") != 0) skip(); /* needs python3, and SOURCE as set by ctest */
    run_steps(0, 1, 3);
    snprintf(command, sizeof command, "python3 '%s/tests/unit/read_events.py' '%s'", source, path_of(EVENTS));
    FILE *p = popen(command, "r");
    static const char *const expected[] = {"1 train/loss 1\n",           "1 train/rate 0.100000001\n",
                                           "2 train/loss 0.5\n",         "2 train/rate 0.100000001\n",
                                           "3 train/loss 0.333333343\n", "3 train/rate 0.100000001\n",
                                           "3 valid/loss 0.666666687\n", "3 valid/accuracy 0.5\n"};
    for (int i = 0; i < 8; i++) {
        CHECK(fgets(line, sizeof line, p), "line %d is missing", i);
        assert_string_equal(line, expected[i]);
    }
    CHECK(!fgets(line, sizeof line, p), "one line too many: %s", line);
    CHECK(pclose(p) == 0, "the reader failed");
}

TEST(another_reader_finds_settings_and_histograms)
{
    const char *source = getenv("SOURCE");
    char command[512], line[512];
    if (!source || system("python3 -c 1 2>/dev/null") != 0) skip(); /* needs python3, and SOURCE as set by ctest */
    static const EventsSetting setting[] = {{"optim.lr", EVENTS_NUMBER, "0.01", 0.01},
                                            {"model.name", EVENTS_TEXT, "h\xc3\xa4n", 0},
                                            {"model.tied", EVENTS_BOOL, "true", 1}};
    static const char *const measure[] = {"valid/accuracy"};
    EventsHistogram h[3] = {{.name = "E"}, {.name = "empty"}, {.name = "constant"}};
    for (int i = -60; i <= 60; i++) events_spread(&h[0], i / 2.0); /* -30 to 30: a bucket for each whole number */
    for (int i = -60; i <= 60; i++) events_fill(&h[0], i / 2.0);
    events_spread(&h[0], (double)NAN);
    events_fill(&h[0], INFINITY);
    for (int i = 0; i < 5; i++) events_spread(&h[2], 2);
    for (int i = 0; i < 5; i++) events_fill(&h[2], 2);
    Metrics *m;
    CHECK_OK(metrics_open(&m, &arena, folder, METRICS_ALL, 3, columns, -1));
    CHECK_OK(metrics_settings(m, 1000, 3, setting, 1, measure));
    CHECK_OK(metrics_histograms(m, 1001, 7, "parameters", 3, h));
    CHECK_OK(metrics_close(m));
    CHECK_OK(metrics_open(&m, &arena, folder, METRICS_ALL, 3, columns, 7));
    CHECK_OK(metrics_settings(m, 1002, 3, setting, 1, measure)); /* there already */
    CHECK_OK(metrics_close(m));
    snprintf(command, sizeof command, "python3 '%s/tests/unit/read_events.py' '%s'", source, path_of(EVENTS));
    FILE *p = popen(command, "r");
    static const char *const expected[] = {"known optim.lr 3\n",
                                           "known model.name 1\n",
                                           "known model.tied 2\n",
                                           "measure valid/accuracy\n",
                                           "setting optim.lr = 0.01\n",
                                           "setting model.name = h\xc3\xa4n\n",
                                           "setting model.tied = True\n",
                                           "7 parameters/E histogram -30 30 121 0 36905: 2 2 2 ",
                                           "7 parameters/constant histogram 2 2 5 10 20: 5 0 0 "};
    for (int i = 0; i < 9; i++) {
        CHECK(fgets(line, sizeof line, p), "line %d is missing", i);
        CHECK(strncmp(line, expected[i], strlen(expected[i])) == 0, "found %s, expected %s", line, expected[i]);
        if (i == 7) CHECK(strstr(line, " 2 2 3\n"), "the greatest is in the last one: %s", line);
    }
    CHECK(!fgets(line, sizeof line, p), "one line too many: %s", line);
    CHECK(pclose(p) == 0, "the reader failed");
}

TEST(a_damaged_record_of_events_ends_what_is_kept)
{
    run_steps(0, 1, 9);
    Buffer b = read_whole(EVENTS);
    for (size_t at = 0; at < b.size; at += 7) {
        int64_t last = 9, keep = -1;
        FILE *f = fopen(path_of(EVENTS), "r+b");
        fseek(f, (long)at, SEEK_SET);
        fputc(b.data[at] ^ 1, f);
        fflush(f);
        CHECK_OK(events_scan(&last, fileno(f), EVENTS, (int64_t)b.size, &keep));
        CHECK(keep >= 0 && keep <= (int64_t)at, "%lld bytes stay though byte %zu is wrong", (long long)keep, at);
        fseek(f, (long)at, SEEK_SET);
        fputc(b.data[at], f);
        fclose(f);
    }
    buffer_close(&b);
}

/* Fail the n-th system call from the opening to the end of three steps, for every n. */
TEST(any_failing_call_is_an_io_error_and_leaves_whole_records)
{
    for (int error = 0; error < 2; error++) {
        for (long n = 1;; n++) {
            Metrics *m = NULL;
            CHECK(n < 200, "no end");
            file_fail_in(n, error ? ENOSPC : FILE_SHORT_WRITE);
            Status st = metrics_open(&m, &arena, folder, METRICS_ALL, 3, columns, -1);
            if (st == OK) st = write_steps(m, 1, 3);
            if (st == OK) st = metrics_sync(m);
            const bool reached = file_fail_left() == 0;
            file_fail_in(0, 0);
            if (m) CHECK_OK(metrics_close(m));
            if (error && reached) {
                CHECK_FAILS(st, ERR_IO);
                CHECK(strstr(status_message(), ": No space left on device"), "%s", status_message());
                CHECK(strstr(status_message(), folder) == status_message(), "%s", status_message());
            } else
                CHECK_OK(st);
            run_steps(0, 1, 1); /* and it can be opened again */
            Buffer b = read_whole("metrics.csv");
            assert_string_equal(b.data, "step,epoch,kind,time,loss,rate,accuracy\n1,0.25,train,1001.000,1,0.1,\n");
            buffer_close(&b);
            if (!reached) break;
        }
    }
}

TEST(a_file_that_is_no_table_of_ours_is_left_alone)
{
    char text[256];
    FILE *f = fopen(path_of("metrics.csv"), "w");
    fputs("time,loss\n1,2\n", f);
    fclose(f);
    Metrics *m;
    snprintf(text, sizeof text, "%s/metrics.csv: column 1 of the header is \"time\", expected \"step\"", folder);
    CHECK_SAYS(metrics_open(&m, &arena, folder, METRICS_ALL, 3, columns, 5), ERR_DATA, text);
    Buffer b = read_whole("metrics.csv");
    assert_string_equal(b.data, "time,loss\n1,2\n");
    buffer_close(&b);
}

TEST(a_folder_in_the_place_of_a_file_is_an_io_error)
{
    Metrics *m;
    char text[256];
    mkdir(path_of("metrics.jsonl"), 0777);
    snprintf(text, sizeof text, "%s/metrics.jsonl: Is a directory", folder);
    CHECK_SAYS(metrics_open(&m, &arena, folder, METRICS_ALL, 3, columns, 5), ERR_IO, text);
}

#define TEST_IN_FOLDER(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_FOLDER(each_file_holds_each_row),
        TEST_IN_FOLDER(what_is_not_finite_is_null_or_nan),
        TEST_IN_FOLDER(a_resumed_run_leaves_the_same_files_as_one_that_was_never_interrupted),
        TEST_IN_FOLDER(what_was_written_at_the_end_is_written_anew),
        TEST_IN_FOLDER(a_line_break_in_the_name_of_a_column_is_no_end_of_a_row),
        TEST_IN_FOLDER(a_column_may_come_later_and_files_that_are_not_wanted_are_not_made),
        TEST_IN_FOLDER(a_column_that_a_resumed_run_adds_comes_behind_the_others),
        RUN(checksums_are_those_that_others_compute),
        TEST_IN_FOLDER(another_reader_finds_the_scalars_in_the_events),
        TEST_IN_FOLDER(another_reader_finds_settings_and_histograms),
        TEST_IN_FOLDER(a_damaged_record_of_events_ends_what_is_kept),
        TEST_IN_FOLDER(any_failing_call_is_an_io_error_and_leaves_whole_records),
        TEST_IN_FOLDER(a_file_that_is_no_table_of_ours_is_left_alone),
        TEST_IN_FOLDER(a_folder_in_the_place_of_a_file_is_an_io_error)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
