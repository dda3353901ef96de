/* Files that include files, the environment, and what of all this is not there. */
#include <ctype.h>
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

/* --- A value is a value, whoever gives it --- */

static const char *const own_variables[] = {"MNEME_SCRIPT", NULL};
static const ConfigTable strict_table = {fixture_list, fixture_check, own_variables};

typedef enum Way { WAY_FILE, WAY_INCLUDE, WAY_ENV, WAY_SET, WAYS } Way;

/* The value of section.key given in that way; the text of the report, "" when there is no fault. */
static const char *given(Way way, const char *section, const char *key, const char *value, const char *yaml)
{
    static const char rest[] = "data: {path: p}\nmodel: {name: han}\n";
    const char *line = arena_format(&arena, "%s: {%s%s%s: %s}\n", section,
                                    strcmp(section, "data") || strcmp(key, "path") == 0 ? "" : "path: p, ",
                                    strcmp(section, "model") ? "" : "name: han, ", key, yaml);
    const char *set = arena_format(&arena, "%s.%s=%s", section, key, value), *variable = NULL;
    const char *own = strcmp(section, "data") == 0 ? "model: {name: han}\n" : "data: {path: p}\n";
    const char *more = strcmp(section, "data") && strcmp(section, "model") ? rest : own;
    file("other.yaml", line);
    file("way.yaml", way == WAY_FILE      ? arena_format(&arena, "%s%s", more, line)
                     : way == WAY_INCLUDE ? arena_format(&arena, "include: other.yaml\n%s", more)
                                          : rest);
    if (way == WAY_ENV) {
        char *name = arena_format(&arena, "MNEME_%s_%s", section, key);
        for (char *c = name; *c; c++) *c = (char)toupper((unsigned char)*c);
        variable = name;
        setenv(variable, value, 1);
    }
    Config *c;
    const Status st = config_load(&c, &arena, NULL, &strict_table, "way.yaml", way == WAY_SET, &set);
    if (variable) unsetenv(variable);
    CHECK(st == OK || st == ERR_CONFIG, "%s: %d", set, (int)st);
    return st == OK ? written(c) : arena_text(&arena, status_message());
}

TEST(each_way_of_giving_a_value_is_as_strict_as_the_others)
{
    static const struct {
        const char *section, *key, *value, *says, *yaml; /* yaml: NULL: the value as it is */
    } all[] = {
        {"train", "bacth", "3", "train.bacth: unknown key; did you mean batch?", NULL},
        {"trian", "batch", "3", "did you mean ", NULL},
        {"train", "batch", "0", "train.batch: 0 is out of range; expected 1 to 65536 examples", NULL},
        {"train", "batch", "99999999999999999999", "train.batch: ", NULL},
        {"train", "batch", "3.5", "train.batch: expected a whole number, found 3.5", NULL},
        {"train", "batch", "six", "train.batch: expected a whole number, found six", NULL},
        {"train", "batch", "0x10", "train.batch: expected a whole number, found 0x10", NULL},
        {"train", "batch", "[3]", "train.batch: expected a whole number, found a list", NULL},
        {"train", "batch", "", "train.batch: expected a whole number, found \"\"", "\"\""},
        {"train", "clip", "-1", "train.clip: -1 is out of range; expected 0 to 1000000", NULL},
        {"train", "clip", "nan", "train.clip: expected a number, found nan", NULL},
        {"train", "clip", "1e999", "train.clip: 1e999 is out of range", NULL},
        {"train", "shuffle", "maybe", "train.shuffle: expected true or false, found maybe", NULL},
        {"train", "every", "10 parsecs", "train.every: ", NULL},
        {"data", "kind", "storys", "data.kind: ", NULL},
        {"data", "memory", "1KB", "data.memory: ", NULL},
        {"model", "scores", "[dot, dto]", "model.scores: ", NULL},
        {"optim", "name", "adm", "did you mean adam?", NULL},
        {"optim", "momentum", "0.5", "momentum belongs to sgd", NULL},
        {"data", "path", "~bob/x", "data.path: of the folders of users only ~ and ~/ are read", NULL},
        {"data", "files", "[a, ~bob]", "data.files: of the folders of users only ~ and ~/ are read", NULL},
    };
    static const char *const place[] = {"way.yaml:", "other.yaml:", "environment MNEME_", "--set 1"};
    for (int i = 0; i < COUNT(all); i++)
        for (Way way = 0; way < WAYS; way++) {
            const char *got =
                given(way, all[i].section, all[i].key, all[i].value, all[i].yaml ? all[i].yaml : all[i].value);
            CHECK(strstr(got, all[i].says) && strncmp(got, place[way], strlen(place[way])) == 0, "%s.%s=%s, way %d: %s",
                  all[i].section, all[i].key, all[i].value, (int)way, got);
        }
}

TEST(each_way_of_giving_a_value_is_as_able_as_the_others)
{
    static const struct {
        const char *section, *key, *value, *line;
    } all[] = {{"train", "batch", "1e3", "  batch: 1000  # "},
               {"train", "clip", "5e-1", "  clip: 0.5  # "},
               {"train", "shuffle", "false", "  shuffle: false"},
               {"train", "every", "2min", "  every: 2min  # "},
               {"data", "kind", "tables", "  kind: tables  # "},
               {"data", "memory", "1GiB", "  memory: 1GiB  # "},
               {"data", "files", "[/a, ~/b]", "  files: [/a, /home/me/b]  # "},
               {"data", "files", "~/b", "  files: [/home/me/b]  # "},
               {"model", "scores", "[dot, dot]", "  scores: [dot, dot]  # "},
               {"model", "heads", "3", "  heads: 3  # "},
               {"optim", "name", "sgd", "  name: sgd  # "}};
    const char *home = getenv("HOME"), *kept = home ? arena_text(&arena, home) : NULL;
    setenv("HOME", "/home/me", 1);
    for (int i = 0; i < COUNT(all); i++)
        for (Way way = 0; way < WAYS; way++) {
            const char *got = given(way, all[i].section, all[i].key, all[i].value, all[i].value);
            CHECK(strstr(got, all[i].line), "%s.%s=%s, way %d: %s", all[i].section, all[i].key, all[i].value, (int)way,
                  got);
        }
    unsetenv("HOME");
    for (Way way = 0; way < WAYS; way++) {
        const char *got = given(way, "data", "files", "[~/b]", "[~/b]");
        CHECK(strstr(got, "data.files: ~ stands for $HOME, which is not set"), "way %d: %s", (int)way, got);
    }
    if (kept) setenv("HOME", kept, 1);
}

/* A file says each key once; on the command line the last one counts, for scripts that add to it. */
TEST(a_key_that_is_given_twice)
{
    const char *twice = given(WAY_FILE, "train", "batch", "3, batch: 4", "3, batch: 4");
    CHECK(strstr(twice, "way.yaml:3:19: train.batch: given twice; the first is at line 3, column 9"), "%s", twice);
    twice = given(WAY_INCLUDE, "train", "batch", "3, batch: 4", "3, batch: 4");
    CHECK(strstr(twice, "other.yaml:1:19: train.batch: given twice"), "%s", twice);
    static const char *const sets[] = {"train.batch=3", "train.batch=4"};
    Config *c;
    file("t.yaml", "data: {path: p}\nmodel: {name: han}\n");
    CHECK_OK(config_load(&c, &arena, NULL, &strict_table, "t.yaml", 2, sets));
    CHECK(strstr(written(c), "batch: 4  # --set 2"), "%s", written(c));
}

TEST(the_folder_of_the_user_is_read_where_files_are_included)
{
    char here[4096];
    const char *home = getenv("HOME"), *kept = home ? arena_text(&arena, home) : NULL;
    CHECK(getcwd(here, sizeof here), "getcwd");
    setenv("HOME", here, 1);
    file("mine.yaml", "train: {batch: 7}\n");
    file("h.yaml", "include: [~/mine.yaml]\ndata: {path: ~/c}\nmodel: {name: han}\n");
    Config *c;
    CHECK_OK(load(&c, "h.yaml"));
    CHECK(strstr(written(c), "batch: 7  # "), "%s", written(c));
    CHECK(strstr(written(c), arena_format(&arena, "path: %s/c  # ", here)), "%s", written(c));
    file("h.yaml", "include: ~bob/mine.yaml\ndata: {path: ./~/c}\nmodel: {name: han}\n");
    CHECK_FAILS(load(&c, "h.yaml"), ERR_CONFIG);
    CHECK(strstr(status_message(), "h.yaml:1:10: include: ~bob/mine.yaml: of the folders of users only"), "%s",
          status_message());
    if (kept) setenv("HOME", kept, 1);
}

TEST(a_variable_that_is_neither_a_setting_nor_known_is_a_fault)
{
    static const char *const bad[][2] = {{"MNEME_TARIN_BATCH", "MNEME_TRAIN_BATCH?"},
                                         {"MNEME_train_batch", "MNEME_TRAIN_BATCH?"},
                                         {"MNEME_Train_BATCH", "MNEME_TRAIN_BATCH?"},
                                         {"MNEME_SCRPIT", "MNEME_SCRIPT?"},
                                         {"MNEME_TRAIN", ""},
                                         {"MNEME_TRAIN_", ""},
                                         {"MNEME_", ""},
                                         {"MNEME_QUITE_OTHER_THING", ""}};
    file("v.yaml", "data: {path: p}\nmodel: {name: han}\n");
    Config *c;
    for (int i = 0; i < COUNT(bad); i++) {
        setenv(bad[i][0], "5", 1);
        CHECK_FAILS(config_load(&c, &arena, NULL, &strict_table, "v.yaml", 0, NULL), ERR_CONFIG);
        const char *begin = arena_format(&arena, "environment %s: no setting (MNEME_SECTION_KEY)", bad[i][0]);
        CHECK(strstr(status_message(), begin) == status_message() && strstr(status_message(), bad[i][1]), "%s",
              status_message());
        unsetenv(bad[i][0]);
    }
    setenv("MNEME_SCRIPT", "5", 1);
    setenv("MNEMEX_TRAIN", "5", 1);
    CHECK_OK(config_load(&c, &arena, NULL, &strict_table, "v.yaml", 0, NULL));
    unsetenv("MNEME_SCRIPT");
    unsetenv("MNEMEX_TRAIN");
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

/* What whoever runs the tests has set for the program is none of theirs. */
static void forget_variables(void)
{
    extern char **environ;
    for (char **e = environ; *e;) {
        const size_t n = strcspn(*e, "=");
        char name[256] = "";
        if (strncmp(*e, "MNEME_", 6) == 0 && n < sizeof name) memcpy(name, *e, n);
        if (name[0] && unsetenv(name) == 0)
            e = environ; /* the list has moved */
        else
            e++;
    }
}

int main(void)
{
    forget_variables();
    const struct CMUnitTest tests[] = {RUN(a_file_includes_others_and_wins_over_them),
                                       RUN(the_environment_stands_between_file_and_set),
                                       RUN(each_way_of_giving_a_value_is_as_strict_as_the_others),
                                       RUN(each_way_of_giving_a_value_is_as_able_as_the_others),
                                       RUN(a_key_that_is_given_twice),
                                       RUN(the_folder_of_the_user_is_read_where_files_are_included),
                                       RUN(a_variable_that_is_neither_a_setting_nor_known_is_a_fault),
                                       RUN(a_circle_of_includes_is_shown),
                                       RUN(what_is_included_must_be_there),
                                       RUN(includes_are_bounded),
                                       RUN(a_config_that_is_not_there_or_no_file),
                                       RUN(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, enter, leave);
}
