/* HDF5 files come back as they were written, and nothing else is trusted. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/file/file.h"
#include "io/h5/h5.h"

static char folder[64], path[128];

static int setup(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/mneme_h5_XXXXXX");
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/x.h5", folder);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    return file_remove_folder(folder) == OK ? 0 : -1;
}

static void build(H5 **h)
{
    const float weights[6] = {0, 1, 2, 3, 4, 5};
    static int32_t ids[100000];
    for (int i = 0; i < 100000; i++) ids[i] = i * 7;
    CHECK_OK(h5_create(h, path));
    CHECK_OK(h5_write(*h, "layer/weights", H5_F32, 2, (const int64_t[]){2, 3}, weights));
    CHECK_OK(h5_write_list(*h, "ids", H5_I32, 100000, ids));
    CHECK_OK(h5_write_list(*h, "empty", H5_F64, 0, NULL));
    CHECK_OK(h5_declare(*h, "pieces", H5_I64, 70001));
    static int64_t part[70001];
    for (int i = 0; i < 70001; i++) part[i] = -i;
    CHECK_OK(h5_write_range(*h, "pieces", H5_I64, 0, 70000, part));
    CHECK_OK(h5_write_range(*h, "pieces", H5_I64, 70000, 1, part + 70000));
    CHECK_OK(h5_set_text(*h, "/", "format", "test"));
    CHECK_OK(h5_set_text(*h, "layer", "meaning", "hidden x input, \xe6\xb1\x89"));
    CHECK_OK(h5_set_text(*h, "layer", "nothing", ""));
    CHECK_OK(h5_set_int(*h, "layer/weights", "step", 1));
    CHECK_OK(h5_set_int(*h, "layer/weights", "step", INT64_C(1) << 40));
    CHECK_OK(h5_set_real(*h, "layer", "rate", 0.1));
}

TEST(everything_comes_back)
{
    H5 *h;
    build(&h);
    CHECK_OK(h5_save(h, path));
    h5_close(h);
    CHECK_OK(h5_open(&h, path, 0));
    float weights[6];
    CHECK_OK(h5_read(h, "layer/weights", H5_F32, 2, (const int64_t[]){2, 3}, weights));
    for (int i = 0; i < 6; i++) CHECK(weights[i] == (float)i, "%d: %g", i, (double)weights[i]);
    int32_t ids[5];
    CHECK_OK(h5_read_range(h, "ids", H5_I32, 65534, 5, ids));
    for (int i = 0; i < 5; i++) CHECK(ids[i] == (65534 + i) * 7, "%d: %d", i, ids[i]);
    int64_t n = 0, piece[2];
    CHECK_OK(h5_length(h, "pieces", H5_I64, &n));
    CHECK_OK(h5_read_range(h, "pieces", H5_I64, 69999, 2, piece));
    CHECK(n == 70001 && piece[0] == -69999 && piece[1] == -70000, "%lld", (long long)n);
    CHECK_OK(h5_length(h, "empty", H5_F64, &n));
    CHECK(n == 0, "%lld", (long long)n);
    Arena a = {0};
    const char *text = NULL, *const * names;
    CHECK_OK(h5_get_text(h, "layer", "meaning", &a, &text));
    assert_string_equal(text, "hidden x input, \xe6\xb1\x89");
    CHECK_OK(h5_get_text(h, "layer", "nothing", &a, &text));
    assert_string_equal(text, "");
    double rate = 0;
    CHECK_OK(h5_get_int(h, "layer/weights", "step", &n));
    CHECK_OK(h5_get_real(h, "layer", "rate", &rate));
    CHECK(n == INT64_C(1) << 40 && rate == 0.1, "%lld %g", (long long)n, rate);
    int count = 0;
    CHECK_OK(h5_list(h, "/", &a, &count, &names));
    CHECK(count == 4 && strcmp(names[2], "layer/") == 0 && strcmp(names[3], "pieces") == 0, "%d", count);
    CHECK_OK(h5_attributes(h, "layer", &a, &count, &names));
    CHECK(count == 3 && strcmp(names[0], "meaning") == 0, "%d", count);
    CHECK(h5_has(h, "layer/weights") && !h5_has(h, "layer/biases") && !h5_has(h, "no/where"), "has");
    CHECK(h5_has_attribute(h, "/", "format") && !h5_has_attribute(h, "/", "formats"), "has attribute");
    arena_close(&a);
    h5_close(h);
}

TEST(writing_and_reading_leave_no_handles)
{
    H5 *h;
    int64_t n = 0;
    for (int round = 0; round < 3; round++) {
        build(&h);
        CHECK_OK(h5_save(h, path));
        h5_close(h);
        CHECK_OK(h5_open(&h, path, 0));
        CHECK_FAILS(h5_length(h, "ids", H5_F32, &n), ERR_DATA);
        CHECK_FAILS(h5_get_int(h, "layer", "meaning", &n), ERR_DATA);
        h5_close(h);
        CHECK(h5_handles() == 0, "round %d: %lld handles are open", round, (long long)h5_handles());
    }
}

TEST(the_same_content_gives_the_same_bytes)
{
    Buffer image[2] = {{0}, {0}};
    for (int i = 0; i < 2; i++) {
        H5 *h;
        build(&h);
        CHECK_OK(h5_image(h, &image[i]));
        h5_close(h);
        if (i == 0) sleep(1); /* times are in seconds */
    }
    CHECK(image[0].size == image[1].size && memcmp(image[0].data, image[1].data, image[0].size) == 0, "they differ");
    buffer_close(&image[0]);
    buffer_close(&image[1]);
}

static void says(Status st, const char *format)
{
    char text[600];
    snprintf(text, sizeof text, "%s: %s", path, format);
    CHECK_SAYS(st, ERR_DATA, text);
}

TEST(what_is_found_and_what_was_expected_is_told)
{
    H5 *h;
    build(&h);
    CHECK_OK(h5_save(h, path));
    h5_close(h);
    CHECK_OK(h5_open(&h, path, 0));
    int64_t n, data[8];
    double real;
    Arena a = {0};
    const char *text;
    says(h5_length(h, "none", H5_I32, &n), "none: is missing");
    says(h5_length(h, "layer", H5_I32, &n), "layer: found a group, expected a dataset");
    says(h5_length(h, "ids", H5_F32, &n), "ids: found int32, expected float32");
    says(h5_length(h, "layer/weights", H5_F32, &n), "layer/weights: found 2 axes, expected 1");
    says(h5_read(h, "layer/weights", H5_F32, 2, (const int64_t[]){3, 2}, data),
         "layer/weights: found shape 2 x 3, expected 3 x 2");
    says(h5_read_range(h, "ids", H5_I32, 99999, 2, data), "ids: found 100000 values, expected at least 100001");
    says(h5_get_int(h, "layer", "none", &n), "layer: attribute none is missing");
    says(h5_get_int(h, "layer", "meaning", &n), "layer: attribute meaning: expected one integer");
    says(h5_get_real(h, "layer", "meaning", &real), "layer: attribute meaning: expected one floating-point number");
    says(h5_get_text(h, "layer", "rate", &a, &text), "layer: attribute rate: expected text");
    arena_close(&a);
    h5_close(h);
    char message[300];
    int64_t bytes = 0;
    CHECK_OK(file_size(path, &bytes));
    snprintf(message, sizeof message, "%s: %lld bytes, more than the 1000 that are allowed", path, (long long)bytes);
    CHECK_SAYS(h5_open(&h, path, 1000), ERR_DATA, message);
    CHECK_OK(file_write(path, "no HDF5 at all", 14));
    says(h5_open(&h, path, 0), "not an HDF5 file");
    CHECK_OK(file_write(path, "", 0));
    says(h5_open(&h, path, 0), "not an HDF5 file");
}

#define RUN_IN_FOLDER(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {RUN_IN_FOLDER(everything_comes_back),
                                       RUN_IN_FOLDER(writing_and_reading_leave_no_handles),
                                       RUN_IN_FOLDER(the_same_content_gives_the_same_bytes),
                                       RUN_IN_FOLDER(what_is_found_and_what_was_expected_is_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
