/* Words as values, and back to the same bits. */
#include <stdio.h>

#include "check.h"
#include "io/config/value.h"

TEST(numbers_are_read_in_every_usual_form)
{
    static const struct {
        const char *text;
        double v;
    } good[] = {{"1e-4", 1e-4}, {".5", .5},  {"5.", 5}, {"1_000", 1000},    {"+3", 3},       {"-0.25", -.25},
                {"1E+3", 1000}, {"010", 10}, {"0", 0},  {"1_0.2_5", 10.25}, {"1e1_0", 1e10}, {"-0", 0}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        double v = 77;
        CHECK(value_real(good[i].text, &v) == VALUE_OK && v == good[i].v, "%s gave %g", good[i].text, v);
    }
    static const char *const bad[] = {"",    "e5",  ".",   "-",   "1e",  "1e+",   "_1", "1_", "1__0", "1_.5", "1._5",
                                      "nan", "inf", "1,5", "1 0", "--1", "1.2.3", "1f", " 1", "1 ",   "٣"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double v;
        CHECK(value_real(bad[i], &v) == VALUE_KIND, "%s is no number", bad[i]);
    }
    double v;
    assert_int_equal(value_real("0x10", &v), VALUE_HEX);
    assert_int_equal(value_real("-1e400", &v), VALUE_RANGE);
    assert_int_equal(value_real("1e-400", &v), VALUE_RANGE);
    char text[600];
    memset(text, '1', sizeof text);
    text[599] = '\0';
    assert_int_equal(value_real(text, &v), VALUE_KIND); /* nobody writes that */
}

TEST(whole_numbers_are_exact)
{
    int64_t i = 0;
    CHECK(value_int("9223372036854775807", &i) == VALUE_OK && i == INT64_MAX, "largest");
    CHECK(value_int("-9223372036854775807", &i) == VALUE_OK && i == -INT64_MAX, "smallest");
    assert_int_equal(value_int("9223372036854775808", &i), VALUE_RANGE);
    assert_int_equal(value_int("1e19", &i), VALUE_RANGE);
    CHECK(value_int("1e3", &i) == VALUE_OK && i == 1000, "1e3");
    CHECK(value_int("2.50e1", &i) == VALUE_OK && i == 25, "2.50e1");
    assert_int_equal(value_int("2.5", &i), VALUE_WHOLE);
}

TEST(truth_has_six_words)
{
    bool b;
    CHECK(value_bool("TRUE", &b) == VALUE_OK && b && value_bool("No", &b) == VALUE_OK && !b, "words");
    CHECK(value_bool("on", &b) == VALUE_OK && b && value_bool("off", &b) == VALUE_OK && !b, "words");
    CHECK(value_bool("1", &b) == VALUE_KIND && value_bool("", &b) == VALUE_KIND, "not words");
}

TEST(sizes_and_durations_have_units)
{
    int64_t n = 0;
    CHECK(value_bytes("4 GB", &n) == VALUE_OK && n == 4000000000, "4 GB");
    CHECK(value_bytes("1_024kib", &n) == VALUE_OK && n == 1 << 20, "kib");
    CHECK(value_bytes("0.5TiB", &n) == VALUE_OK && n == 1LL << 39, "0.5TiB");
    CHECK(value_bytes("100000", &n) == VALUE_OK && n == 100000, "bare");
    CHECK(value_bytes("7B", &n) == VALUE_OK && n == 7, "B");
    assert_int_equal(value_bytes("9000000TiB", &n), VALUE_RANGE);
    assert_int_equal(value_bytes("3K", &n), VALUE_UNIT);
    assert_int_equal(value_bytes("3.5B", &n), VALUE_WHOLE);
    assert_int_equal(value_bytes("GiB", &n), VALUE_KIND);
    double s = 0;
    CHECK(value_seconds("1h30min", &s) == VALUE_OK && s == 5400, "%g", s);
    CHECK(value_seconds("1d 2h 3min 4s 5ms", &s) == VALUE_OK && s == 93784.005, "%.17g", s);
    CHECK(value_seconds("30", &s) == VALUE_OK && s == 30, "%g", s);
    CHECK(value_seconds(".5 h", &s) == VALUE_OK && s == 1800, "%g", s);
    static const char *const bad[] = {"", "1h 30", "30min1h", "1h1h", "1h-3min", "h", "1h,"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK(value_seconds(bad[i], &s) == VALUE_KIND, "%s is no duration", bad[i]);
    assert_int_equal(value_seconds("3 weeks", &s), VALUE_UNIT);
}

TEST(sizes_and_durations_are_written_to_be_read_back)
{
    char text[VALUE_SIZE];
    assert_string_equal(value_write_bytes(text, 512 << 20), "512MiB");
    assert_string_equal(value_write_bytes(text, 4000000000), "4GB");
    assert_string_equal(value_write_bytes(text, 0), "0");
    assert_string_equal(value_write_bytes(text, 1001), "1001");
    assert_string_equal(value_write_seconds(text, 5400), "90min");
    assert_string_equal(value_write_seconds(text, 0.25), "0.25s");
    assert_string_equal(value_write_seconds(text, 0), "0s");
    uint64_t x = 1;
    for (int i = 0; i < 20000; i++) {
        x = x * 6364136223846793005U + 1442695040888963407U;
        const int64_t n = (int64_t)(x >> (12 + x % 50)) * (i % 3 ? 1 : 1024);
        int64_t back = -1;
        if (n >= 0) CHECK(value_bytes(value_write_bytes(text, n), &back) == VALUE_OK && back == n, "%s", text);
        const double s = ldexp((double)(x >> 11), (int)(x % 80) - 70) * (i % 5 ? 1 : 3600);
        double again = -1;
        CHECK(value_seconds(value_write_seconds(text, s), &again) == VALUE_OK && again == s, "%s %.17g", text, s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(numbers_are_read_in_every_usual_form), RUN(whole_numbers_are_exact),
                                       RUN(truth_has_six_words), RUN(sizes_and_durations_have_units),
                                       RUN(sizes_and_durations_are_written_to_be_read_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
