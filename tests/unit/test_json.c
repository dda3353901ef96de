/* JSON that any reader takes, and numbers that come back bit for bit. */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "comm/utf8.h"
#include "io/format/json.h"
#include "io/format/number.h"

TEST(objects_and_arrays_nest)
{
    Buffer b = {0};
    Json j = json_begin(&b);
    json_open_object(&j);
    json_put_int(&j, "step", -3);
    json_put_number(&j, "loss", 0.1);
    json_put_number(&j, "nan", NAN);
    json_put_number(&j, "inf", -INFINITY);
    json_put_bool(&j, "yes", true);
    json_put_text(&j, "none", NULL);
    json_key(&j, "list");
    json_open_array(&j);
    json_float(&j, 0.1F);
    json_open_array(&j);
    json_end(&j);
    json_open_object(&j);
    json_end(&j);
    json_end(&j);
    json_end(&j);
    CHECK_OK(json_finish(&j));
    assert_string_equal(b.data, "{\"step\": -3, \"loss\": 0.1, \"nan\": null, \"inf\": null, \"yes\": true, "
                                "\"none\": null, \"list\": [0.1, [], {}]}");
    buffer_close(&b);
}

TEST(strings_are_escaped_and_made_valid)
{
    Buffer b = {0};
    Json j = json_begin(&b);
    json_text_n(&j, "a\"b\\c\n\t\x01\x7f\0z", 11);
    json_text(&j, "\xe4\xbd\xa0 \xff\xc3 \xed\xa0\x80");
    json_text(&j, "");
    CHECK_OK(json_finish(&j));
    assert_string_equal(b.data, "\"a\\\"b\\\\c\\n\\t\\u0001\\u007f\\u0000z\"\n"
                                "\"\xe4\xbd\xa0 \xef\xbf\xbd\xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"\n\"\"");
    buffer_close(&b);
}

TEST(what_a_terminal_obeys_is_escaped_and_keeps_its_value)
{
    Buffer b = {0};
    Json j = json_begin(&b);
    json_text(&j, "\x1b[31m \xc2\x9b"
                  "2J \xe2\x80\xae"
                  "x \xe2\x80\xa8 \xef\xbb\xbf \xef\xbf\xbf \xe2\x80\x8d \xd8\xb4");
    CHECK_OK(json_finish(&j));
    assert_string_equal(b.data, "\"\\u001b[31m \\u009b2J \\u202ex \\u2028 \\ufeff \\uffff \xe2\x80\x8d \xd8\xb4\"");
    buffer_close(&b);
}

TEST(misuse_is_an_internal_error)
{
    Buffer b = {0};
    Json j = json_begin(&b);
    json_open_object(&j);
    json_int(&j, 1);
    CHECK_SAYS(json_finish(&j), ERR_INTERNAL, "JSON: a value in an object needs a key before it");
    j = json_begin(&b);
    json_open_array(&j);
    CHECK_SAYS(json_finish(&j), ERR_INTERNAL, "JSON: not everything was closed");
    json_key(&j, "x");
    j = json_begin(&b);
    json_end(&j);
    CHECK_SAYS(json_finish(&j), ERR_INTERNAL, "JSON: nothing is open");
    j = json_begin(&b);
    json_key(&j, "x");
    CHECK_SAYS(json_finish(&j), ERR_INTERNAL, "JSON: a key belongs into an object, before a value");
    j = json_begin(&b);
    for (int i = 0; i < 100; i++) json_open_array(&j);
    CHECK_SAYS(json_finish(&j), ERR_INTERNAL, "JSON: nested too deep");
    buffer_close(&b);
}

TEST(numbers_are_short_and_read_back)
{
    char text[NUMBER_SIZE];
    assert_string_equal(number_double(text, 1e-4), "0.0001");
    assert_string_equal(number_double(text, 0.3), "0.3");
    assert_string_equal(number_double(text, 0.1 + 0.2), "0.30000000000000004");
    assert_string_equal(number_double(text, 1e300), "1e+300");
    assert_string_equal(number_float(text, 0.3F), "0.3");
    uint64_t bits = 1;
    for (int i = 0; i < 20000; i++) {
        bits = bits * 6364136223846793005U + 1442695040888963407U;
        double v;
        memcpy(&v, &bits, sizeof v);
        if (!isfinite(v)) continue;
        const double back = strtod(number_double(text, v), NULL);
        CHECK(memcmp(&v, &back, sizeof v) == 0, "%s", text);
        const float f = (float)v;
        if (!isfinite(f)) continue;
        const float f_back = strtof(number_float(text, f), NULL);
        CHECK(memcmp(&f, &f_back, sizeof f) == 0, "%s", text);
    }
}

TEST(utf8_is_strict)
{
    assert_int_equal(utf8_check("abc\xc3\xa4\xf0\x9f\x98\x80", 9), 9);
    assert_int_equal(utf8_check("a\xc0\x80", 3), 1);    /* overlong */
    assert_int_equal(utf8_check("\xed\xa0\x80", 3), 0); /* surrogate */
    assert_int_equal(utf8_check("\xf4\x90\x80\x80", 4), 0);
    assert_int_equal(utf8_check("ab\xe4\xbd", 4), 2); /* cut */
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(objects_and_arrays_nest),
                                       RUN(strings_are_escaped_and_made_valid),
                                       RUN(what_a_terminal_obeys_is_escaped_and_keeps_its_value),
                                       RUN(misuse_is_an_internal_error),
                                       RUN(numbers_are_short_and_read_back),
                                       RUN(utf8_is_strict)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
