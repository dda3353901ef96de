/* The progress line tells what is known, in the width there is, over the last seconds. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "comm/log.h"
#include "comm/progress.h"

static ProgressView view(void)
{
    return (ProgressView){.step = 1200,
                          .steps = 50000,
                          .epoch = 2.4,
                          .loss = 0.31214,
                          .rate = 0.01,
                          .examples_per_second = 4210.3,
                          .tokens_per_second = 61234,
                          .seconds_left = 750,
                          .share = {0.012, 0.84, 0.12, 0.028}};
}

static void says(int width, const ProgressView *v, const char *expected)
{
    char line[PROGRESS_LINE];
    progress_line(line, width, v);
    assert_string_equal(line, expected);
}

TEST(the_line_tells_all_that_is_known)
{
    const ProgressView v = view();
    says(0, &v,
         "step 1,200/50,000  epoch 2.40  loss 0.3121  rate 0.01  4.21k examples/s  61.2k tokens/s  12m30s left  "
         "load 1% compute 84% reduce 12% save 3%");
}

TEST(what_matters_least_goes_first_when_the_terminal_is_narrow)
{
    const ProgressView v = view();
    says(110, &v,
         "step 1,200/50,000  epoch 2.40  loss 0.3121  rate 0.01  4.21k examples/s  61.2k tokens/s  12m30s left");
    says(80, &v, "step 1,200/50,000  epoch 2.40  loss 0.3121  61.2k tokens/s  12m30s left");
    says(60, &v, "step 1,200/50,000  epoch 2.40  loss 0.3121  12m30s left");
    says(30, &v, "step 1,200/50,000  loss 0.3121");
    says(20, &v, "step 1,200/50,000");
    says(6, &v, "step 1");
}

TEST(what_is_not_known_is_left_out)
{
    ProgressView v = view();
    v.steps = 0;
    v.examples_per_second = v.tokens_per_second = v.seconds_left = -1;
    v.epoch = NAN;
    for (int i = 0; i < PROGRESS_PHASES; i++) v.share[i] = -1;
    says(0, &v, "step 1,200  loss 0.3121  rate 0.01");
    v.loss = NAN;
    v.step = 12;
    char line[PROGRESS_LINE];
    progress_line(line, 0, &v);
    CHECK(strstr(line, "loss nan") || strstr(line, "loss -nan"), "%s", line);
}

TEST(durations_and_counts_have_readable_units)
{
    const struct {
        double seconds;
        const char *text;
    } duration[] = {{0, "0s"},         {59.4, "59s"},     {59.6, "1m00s"}, {3599, "59m59s"}, {3600, "1h00m"},
                    {86399, "23h59m"}, {187200, "2d04h"}, {-1, "?"},       {NAN, "?"},       {INFINITY, "?"}};
    for (size_t i = 0; i < sizeof duration / sizeof *duration; i++) {
        char text[32];
        progress_duration(text, duration[i].seconds);
        assert_string_equal(text, duration[i].text);
    }
    const struct {
        double n;
        const char *text;
    } count[] = {{0, "0"},         {7, "7"},        {1.5, "1.50"},   {12.4, "12"},       {999, "999"},
                 {999.6, "1.00k"}, {1234, "1.23k"}, {99960, "100k"}, {7890000, "7.89M"}, {2.5e12, "2.50T"}};
    for (size_t i = 0; i < sizeof count / sizeof *count; i++) {
        char text[32];
        progress_count(text, count[i].n);
        assert_string_equal(text, count[i].text);
    }
}

TEST(a_work_tells_its_share_its_rate_and_what_is_left)
{
    ProgressView v = {.work = "packing train",
                      .unit = "examples",
                      .step = 12000,
                      .steps = 26000,
                      .done = 12 / 26.0,
                      .steps_per_second = 3210,
                      .seconds_left = 4};
    says(0, &v, "packing train  46%  12,000 of 26,000 examples  3.21k examples/s  4s left");
    says(60, &v, "packing train  46%  12,000 of 26,000 examples  4s left");
    says(50, &v, "packing train  46%  12,000 of 26,000 examples");
    says(20, &v, "packing train  46%");
    v.steps = 0;
    says(0, &v, "packing train  46%  12,000 examples  3.21k examples/s  4s left");
    v.done = v.steps_per_second = v.seconds_left = -1;
    says(0, &v, "packing train  12,000 examples");
}

/* 100 examples and 1000 tokens a step, 2 steps a second up to second 100, then 4 a second. */
TEST(rates_are_those_of_the_last_ten_seconds)
{
    Progress p;
    progress_start(&p, true, 1e9, 0);
    ProgressTotals t = {.steps = 1000};
    for (int tick = 0; tick <= 480; tick++) {
        const double now = tick * 0.25;
        t.step += now > 100 || tick % 2 == 0;
        t.examples = 100 * t.step;
        t.tokens = 1000 * t.step;
        t.seconds[PROGRESS_COMPUTE] = now * 0.75;
        t.seconds[PROGRESS_LOAD] = now * 0.25;
        progress_update(&p, now, &t);
        const ProgressView v = progress_view(&p, now, &t);
        if (tick == 380) CHECK_NEAR(v.examples_per_second, 200, 0.06);
        if (tick == 480) {
            CHECK_NEAR(v.examples_per_second, 400, 1e-9);
            CHECK_NEAR(v.tokens_per_second, 4000, 1e-9);
            CHECK_NEAR(v.seconds_left, (double)(1000 - t.step) / 4, 1e-9);
            CHECK_NEAR(v.share[PROGRESS_COMPUTE], 0.75, 1e-9);
            CHECK_NEAR(v.share[PROGRESS_LOAD], 0.25, 1e-9);
            CHECK_NEAR(v.share[PROGRESS_SAVE], 0, 1e-9);
        }
    }
}

TEST(elsewhere_than_on_a_terminal_a_line_comes_every_ten_seconds)
{
    char name[] = "/tmp/mneme-progress-XXXXXX", text[4096];
    const int fd = mkstemp(name), keep = dup(2);
    unlink(name);
    dup2(fd, 2);
    Progress p;
    progress_start(&p, true, 10, 0);
    ProgressTotals t = {.steps = 100, .epoch = -1, .rate = -1};
    for (int second = 0; second <= 35; second++) {
        t.step = second;
        progress_update(&p, second, &t);
    }
    progress_finish(&p, 36, &t);
    progress_clear(&p);
    dup2(keep, 2);
    close(keep);
    const ssize_t n = pread(fd, text, sizeof text - 1, 0);
    text[n] = '\0';
    int lines = 0;
    for (const char *c = text; *c; c++) lines += *c == '\n';
    CHECK(lines == 4 && !strchr(text, '\r') && strstr(text, "step 10/100"), "%d lines: %s", lines, text);
    close(fd);
    progress_start(&p, false, 10, 0);
    progress_update(&p, 100, &t);
    progress_finish(&p, 200, &t);
    CHECK(p.n == 0, "another rank keeps nothing");
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(the_line_tells_all_that_is_known),
                                       RUN(what_matters_least_goes_first_when_the_terminal_is_narrow),
                                       RUN(what_is_not_known_is_left_out),
                                       RUN(a_work_tells_its_share_its_rate_and_what_is_left),
                                       RUN(durations_and_counts_have_readable_units),
                                       RUN(rates_are_those_of_the_last_ten_seconds),
                                       RUN(elsewhere_than_on_a_terminal_a_line_comes_every_ten_seconds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
