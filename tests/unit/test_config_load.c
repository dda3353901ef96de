/* Files that include files, the environment, and what of all this is not there. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

#include "config_fixture.h"

static Arena arena;

/* The tests run inside a fresh folder, so that names in messages are short. */
static int enter(void **state)
{
    static char dir[] = "/tmp/mneme-config-XXXXXX";
    *state = dir;
    return mkdtemp(dir) && chdir(dir) == 0 ? 0 : -1;
}

static int leave(void **state)
{
    char command[100];
    arena_close(&arena);
    snprintf(command, sizeof command, "rm -rf %s", (const char *)*state);
    return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

static void file(const char *name, const char *text)
{
    FILE *f = fopen(name, "w");
    CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0, "%s", name);
}

static Status load(Config **c, const char *path) { return config_load(c, &arena, NULL, &fixture_table, path, 0, NULL); }

#define SAYS(path, code, message)                                                                                      \
    do {                                                                                                               \
        Config *says_;                                                                                                 \
        CHECK_SAYS(load(&says_, path), code, message);                                                                 \
    } while (0)

static const char *written(const Config *c)
{
    Buffer b = {0};
    CHECK_OK(config_write(c, true, &b));
    const char *copy = arena_text(&arena, b.data);
    buffer_close(&b);
    return copy;
}

TEST(a_file_includes_others_and_wins_over_them)
{
    CHECK(mkdir("base", 0777) == 0 && mkdir("base/deep", 0777) == 0, "mkdir");
    file("base/one.yaml",
         "include: deep/two.yaml\ntrain: {batch: 1, clip: 1}\nmodel: {name: memn2n, hops: 9, hidden: 7}\n");
    file("base/deep/two.yaml", "train: {batch: 2, steps: 2}\ndata: {path: ../corpus, files: [a, ../../b]}\n");
    file("three.yaml", "train: {clip: 3}\n");
    file("top.yaml", "train: {shuffle: no}\ninclude: [base/one.yaml, three.yaml]\nmodel: {name: han}\n");
    Config *c;
    CHECK_OK(load(&c, "top.yaml"));
    const char *text = written(c);
    CHECK(strstr(text, "batch: 1  # base/one.yaml:2:9\n"), "%s", text);
    CHECK(strstr(text, "steps: 2  # base/deep/two.yaml:1:19\n"), "%s", text);
    CHECK(strstr(text, "clip: 3  # three.yaml:1:9\n"), "%s", text);
    CHECK(strstr(text, "shuffle: false  # top.yaml:1:9\n"), "%s", text);
    CHECK(strstr(text, "name: han  # top.yaml:3:9\n"), "%s", text);
    CHECK(strstr(text, "hidden: 7  # base/one.yaml:3:32\n"), "%s", text);
    CHECK(!strstr(text, "hops"), "%s", text);
    const Data *data = config_section(c, "data");
    char here[4096], expected[5000];
    CHECK(getcwd(here, sizeof here), "getcwd");
    snprintf(expected, sizeof expected, "%s/base/corpus", here);
    assert_string_equal(data->path, expected);
    snprintf(expected, sizeof expected, "%s/base/deep/a", here);
    assert_string_equal(data->files.item[0], expected);
    snprintf(expected, sizeof expected, "%s/b", here);
    assert_string_equal(data->files.item[1], expected);
}

TEST(the_environment_stands_between_file_and_set)
{
    file("e.yaml", "data: {path: p}\nmodel: {name: han}\ntrain: {batch: 5, steps: 5}\n");
    setenv("MNEME_TRAIN_BATCH", "6", 1);
    setenv("MNEME_TRAIN_STEPS", "6", 1);
    setenv("MNEME_MODEL_NAME", "memn2n", 1);
    setenv("MNEME_OTHER_THING", "is none of ours", 1);
    const char *set = "train.steps=7";
    Config *c;
    CHECK_OK(config_load(&c, &arena, NULL, &fixture_table, "e.yaml", 1, &set));
    const char *text = written(c);
    CHECK(strstr(text, "batch: 6  # environment MNEME_TRAIN_BATCH\n"), "%s", text);
    CHECK(strstr(text, "steps: 7  # --set 1\n"), "%s", text);
    CHECK(strstr(text, "name: memn2n  # environment MNEME_MODEL_NAME\n"), "%s", text);
    setenv("MNEME_TRAIN_BATCH", "six", 1);
    setenv("MNEME_TRAIN_STPES", "6", 1);
    setenv("MNEME_DATA_KIDN", "6", 1); /* last into the environment, first in the order of names */
    SAYS("e.yaml", ERR_CONFIG,
         "environment MNEME_DATA_KIDN: data.kidn: unknown key; did you mean kind?\n"
         "environment MNEME_TRAIN_BATCH: train.batch: expected a whole number, found six\n"
         "environment MNEME_TRAIN_STPES: train.stpes: unknown key; did you mean steps?");
    static const char *const names[] = {"TRAIN_BATCH", "TRAIN_STEPS", "TRAIN_STPES",
                                        "MODEL_NAME",  "OTHER_THING", "DATA_KIDN"};
    char name[64];
    for (int i = 0; i < COUNT(names); i++) {
        snprintf(name, sizeof name, "MNEME_%s", names[i]);
        unsetenv(name);
    }
}

TEST(a_circle_of_includes_is_shown)
{
    file("a.yaml", "include: b.yaml\n");
    file("b.yaml", "include: ./c.yaml\n");
    file("c.yaml", "include: a.yaml\n");
    file("self.yaml", "data: {path: p}\nmodel: {name: han}\ninclude: self.yaml\n");
    SAYS("self.yaml", ERR_CONFIG, "self.yaml:3:10: include: a circle: self.yaml -> self.yaml");
    Config *c;
    CHECK_FAILS(load(&c, "a.yaml"), ERR_CONFIG);
    CHECK(strstr(status_message(), "./c.yaml:1:10: include: a circle: a.yaml -> b.yaml -> ./c.yaml -> ./a.yaml"), "%s",
          status_message());
    CHECK(symlink("self.yaml", "link.yaml") == 0, "symlink");
    SAYS("link.yaml", ERR_CONFIG, "link.yaml:3:10: include: a circle: link.yaml -> self.yaml");
}

TEST(what_is_included_must_be_there)
{
    file("m.yaml", "include: [no.yaml, ., bad.yaml, [x], '']\nmodel: {nam: han}\n");
    file("bad.yaml", "data: {path\n");
    SAYS("m.yaml", ERR_CONFIG,
         "bad.yaml:2:1: not valid YAML: did not find expected ',' or '}' (while parsing a flow mapping that begins at "
         "line 1, column 7)\n"
         "m.yaml:1:11: include: no.yaml: No such file or directory\n"
         "m.yaml:1:20: include: .: is a folder, expected a file\n"
         "m.yaml:1:33: include: expected a file or a list of files, found a list\n"
         "m.yaml:1:38: include: expected a file or a list of files, found \"\"\n"
         "m.yaml:2:9: model.nam: unknown key; did you mean name?");
}

TEST(includes_are_bounded)
{
    char name[32], text[64];
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "n%d.yaml", i);
        snprintf(text, sizeof text, "include: [n%d.yaml, n%d.yaml]\n", i + 1, i + 1);
        file(name, text);
    }
    file("n40.yaml", "data: {path: p}\nmodel: {name: han}\n");
    Config *c;
    CHECK_FAILS(load(&c, "n0.yaml"), ERR_CONFIG);
    CHECK(strstr(status_message(), "n15.yaml:1:11: include: more than 16 files deep"), "%s", status_message());
    CHECK_FAILS(load(&c, "n33.yaml"), ERR_CONFIG);
    CHECK(strstr(status_message(), "include: more than 64 files"), "%s", status_message());
}

TEST(a_config_that_is_not_there_or_no_file)
{
    SAYS("none.yaml", ERR_INPUT, "none.yaml: No such file or directory");
    SAYS("/", ERR_INPUT, "/: is a folder, expected a file");
    SAYS("/dev/null", ERR_INPUT, "/dev/null: is not a regular file");
    file("empty.yaml", "");
    SAYS("empty.yaml", ERR_CONFIG, "empty.yaml: the file is empty");
    FILE *f = fopen("big.yaml", "w");
    CHECK(f && ftruncate(fileno(f), (off_t)1 << 40) == 0 && fclose(f) == 0, "big.yaml");
    SAYS("big.yaml", ERR_CONFIG, "big.yaml: 1099511627776 bytes, more than the 1048576 that are allowed");
}

TEST(every_allocation_may_fail)
{
    file("inc.yaml", "data: {path: p}\n");
    file("ok.yaml", "include: inc.yaml\nmodel: {name: han}\n");
    long n = 1;
    for (bool reached = true; reached; n++) {
        Arena a = {.fail_in = n};
        Config *c = NULL;
        const Status st = config_load(&c, &a, NULL, &fixture_table, "ok.yaml", 0, NULL);
        reached = a.fail_in == 0;
        CHECK(st == (reached ? ERR_HOST : OK), "allocation %ld: %d %s", n, (int)st, status_text());
        arena_close(&a);
    }
    CHECK(n > 40, "%ld allocations", n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(a_file_includes_others_and_wins_over_them),
                                       RUN(the_environment_stands_between_file_and_set),
                                       RUN(a_circle_of_includes_is_shown),
                                       RUN(what_is_included_must_be_there),
                                       RUN(includes_are_bounded),
                                       RUN(a_config_that_is_not_there_or_no_file),
                                       RUN(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, enter, leave);
}
