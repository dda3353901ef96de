/* A good config fills the structs; what was said last wins. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "config_fixture.h"
#include "io/config/config_parts.h"

static Arena arena;

static const Config *parse(const char *text, int n_sets, const char *const *sets)
{
    Config *c = NULL;
    CHECK_OK(config_parse(&c, &arena, &fixture_table, "/x/a.yaml", text, strlen(text), n_sets, sets));
    return c;
}

TEST(structs_are_filled_from_the_text_and_the_presets)
{
    const Config *c = parse("data:\n  path: corpus\n  files: [a.txt, ../b.txt, /c]\n  memory: 1.5GiB\n"
                            "model: {name: memn2n, hops: 2, dropout: .25}\n"
                            "optim:\n  learning_rate: 1e-4\n"
                            "train:\n  batch: 1_000\n  steps: 2e3\n  shuffle: Off\n  every: 1h30min\n",
                            0, NULL);
    const Data *data = config_section(c, "data");
    const Model *model = config_section(c, "model");
    const Memn2n *memn2n = config_component(c, "model");
    const Optim *optim = config_section(c, "optim");
    const Adam *adam = config_component(c, "optim");
    const Train *train = config_section(c, "train");
    assert_string_equal(data->path, "/x/corpus");
    assert_int_equal(data->files.n, 3);
    assert_string_equal(data->files.item[1], "/b.txt");
    assert_string_equal(data->files.item[2], "/c");
    assert_int_equal(data->memory, 3LL << 29);
    assert_string_equal(data->kind, "stories");
    assert_string_equal(config_choice(c, "model"), "memn2n");
    assert_int_equal(model->hidden, 50);
    CHECK_NEAR(model->dropout, 0.25, 0);
    assert_int_equal(memn2n->hops, 2);
    assert_string_equal(config_choice(c, "optim"), "adam");
    CHECK_NEAR(optim->learning_rate, 1e-4, 0);
    CHECK_NEAR(adam->beta1, 0.9, 0);
    assert_int_equal(train->batch, 1000);
    assert_int_equal(train->steps, 2000);
    CHECK(!train->shuffle, "shuffle");
    CHECK_NEAR(train->every, 5400, 0);
    CHECK(config_choice(c, "second") == NULL && config_section(c, "second"), "an optional section is absent");
    CHECK(config_given(c, "train", "batch") && !config_given(c, "train", "clip"), "given");
}

#define GOOD "data: {path: p}\nmodel: {name: han, heads: 2}\n"

TEST(set_wins_and_the_last_set_wins)
{
    const char *sets[] = {"model.name=memn2n", "train.batch=1", "train.batch=2", "data.files=[a, 'b c']",
                          "data.path=x=y"};
    const Config *c = parse(GOOD "train: {batch: 3}\n", 5, sets);
    const Train *train = config_section(c, "train");
    const Data *data = config_section(c, "data");
    char here[4096], expected[5000];
    CHECK(getcwd(here, sizeof here), "getcwd");
    assert_string_equal(config_choice(c, "model"), "memn2n"); /* and what the file said for han rests */
    assert_int_equal(train->batch, 2);
    assert_int_equal(data->files.n, 2);
    snprintf(expected, sizeof expected, "%s/b c", here); /* paths of --set count from where the program runs */
    assert_string_equal(data->files.item[1], expected);
    snprintf(expected, sizeof expected, "%s/x=y", here);
    assert_string_equal(data->path, expected);
}

TEST(an_optional_section_is_there_when_it_is_said)
{
    CHECK(config_choice(parse(GOOD, 0, NULL), "second") == NULL, "absent");
    assert_string_equal(config_choice(parse(GOOD "second: {name: none}\n", 0, NULL), "second"), "none");
    const char *set = "second.name=sgd";
    const Config *c = parse(GOOD, 1, &set);
    assert_string_equal(config_choice(c, "second"), "sgd");
    const Sgd *sgd = config_component(c, "second");
    CHECK_NEAR(sgd->momentum, 0, 0);
}

TEST(anchors_blocks_and_quotes_are_yaml)
{
    const Config *c =
        parse("data:\n  path: &p /c\n  files: [*p, \"a\\tb\", 'it''s', 5]\nmodel:\n  name: \"han\"\n", 0, NULL);
    const Data *data = config_section(c, "data");
    assert_string_equal(data->files.item[0], "/c");
    assert_string_equal(data->files.item[1], "/x/a\tb");
    assert_string_equal(data->files.item[2], "/x/it's");
    assert_string_equal(data->files.item[3], "/x/5");
}

static const char *write_config(const Config *c, bool origins)
{
    Buffer b = {0};
    CHECK_OK(config_write(c, origins, &b));
    const char *copy = arena_text(&arena, b.data);
    buffer_close(&b);
    return copy;
}

TEST(what_is_written_says_where_it_comes_from)
{
    const char *set = "train.every=90s";
    assert_string_equal(write_config(parse(GOOD "optim:\n  name: sgd\n", 1, &set), true),
                        "data:\n  path: /x/p  # /x/a.yaml:1:8\n  files: []  # preset\n  memory: 512MiB  # preset\n"
                        "  kind: stories  # preset\nmodel:\n  name: han  # /x/a.yaml:2:9\n  hidden: 50  # preset\n"
                        "  dropout: 0.5  # preset\n  heads: 2  # /x/a.yaml:2:20\n  scores: [dot, additive]  # preset\n"
                        "optim:\n  name: sgd  # /x/a.yaml:4:3\n  learning_rate: 0.001  # preset\n"
                        "  momentum: 0  # preset\ntrain:\n  batch: 64  # preset\n  steps: 1000  # preset\n"
                        "  clip: 5  # preset\n  shuffle: true  # preset\n  every: 90s  # --set 1\n");
}

/* Texts that YAML would take for something else. */
static const char *const texts[] = {
    "plain",
    "",
    "~",
    "null",
    "true",
    "1e-4",
    "a b",
    "a: b",
    "- x",
    "[x",
    "{",
    "#c",
    "x #c",
    "it's",
    "\"q\"",
    "\\",
    "tab\tx",
    "nl\nx",
    "\xe4\xbd\xa0",
    "\xc2\x85",
    "\xe2\x80\xa8",
    "\xef\xbb\xbf",
    "%x",
    "*x",
    "&x",
    "!x",
    "|",
    ">",
    "@x",
    "`x",
    " x ",
    "0x10",
    ".5",
    "y",
    "Null",
    "-",
    "---",
    "...",
    "\x7f",
};

/* Values of every kind, made by a fixed generator, survive the way to text and back. */
TEST(what_is_written_reads_back_to_the_same)
{
    const ArenaMark mark = arena_mark(&arena);
    uint64_t x = 1;
    for (int i = 0; i < 400; i++) {
        Config *c = NULL, *again = NULL;
        CHECK_OK(config_parse(&c, &arena, &fixture_table, "/x/a.yaml", GOOD, strlen(GOOD), 0, NULL));
        Data *data = (Data *)(uintptr_t)config_section(c, "data"); /* the test may write */
        Train *train = (Train *)(uintptr_t)config_section(c, "train");
        const char *items[2] = {texts[i % COUNT(texts)], texts[i * 7 % COUNT(texts)]};
        data->path = arena_format(&arena, "/%s", texts[i * 3 % COUNT(texts)]);
        for (int k = 0; k < 2; k++)
            if (items[k][0] && strcmp(items[k], "-") != 0) items[k] = arena_format(&arena, "/%s", items[k]);
        data->files = (TextList){i % 3, items};
        x = x * 6364136223846793005U + 1442695040888963407U;
        data->memory = 65536 + (int64_t)(x >> 20) / 8;
        train->clip = ldexp((double)(x >> 11), -53) * (i % 2 ? 1e6 : 1e-3);
        train->every = 1 + (double)(x >> 40) / 1000;
        train->shuffle = i & 1;
        const char *text = write_config(c, i & 1);
        CHECK_OK(config_parse(&again, &arena, &fixture_table, "/y/b.yaml", text, strlen(text), 0, NULL));
        assert_string_equal(write_config(again, false), write_config(c, false));
        const Data *d = config_section(again, "data");
        const Train *t = config_section(again, "train");
        assert_string_equal(d->path, data->path);
        CHECK(t->clip == train->clip && t->every == train->every && d->memory == data->memory, "%s", text);
        assert_int_equal(d->files.n, data->files.n);
        for (int k = 0; k < d->files.n; k++) assert_string_equal(d->files.item[k], data->files.item[k]);
        arena_release(&arena, mark);
    }
}

TEST(a_text_that_is_no_path_keeps_every_character)
{
    Buffer b = {0};
    CHECK_OK(config_write_text(&b, "a\x01"
                                   "b\xc2\x80\\"));
    assert_string_equal(b.data, "\"a\\u0001b\\u0080\\\\\"");
    CHECK_SAYS(config_write_text(&b, "\xff"), ERR_CONFIG, "a text that is not UTF-8 cannot be written as YAML");
    buffer_close(&b);
}

TEST(a_comparison_tells_what_changes_the_mathematics)
{
    Buffer text = {0};
    int math, other;
    const Config *old = parse(GOOD, 0, NULL);
    CHECK_OK(config_compare(old, parse(GOOD, 0, NULL), &text, &math, &other));
    CHECK(math == 0 && other == 0 && text.size == 0, "equal");
    const Config *new = parse("data: {path: p, memory: 1GiB}\nmodel: {name: han, heads: 3, scores: dot}\n"
                              "optim: {name: sgd}\ntrain: {steps: 2000}\nsecond: {name: none}\n",
                              0, NULL);
    CHECK_OK(config_compare(old, new, &text, &math, &other));
    assert_string_equal(text.data, "optim.name: adam -> sgd\nsecond.name: (absent) -> none\n"
                                   "data.memory: 512MiB -> 1GiB\nmodel.heads: 2 -> 3\n"
                                   "model.scores: [dot, additive] -> [dot]\ntrain.steps: 1000 -> 2000 (may change)\n");
    assert_int_equal(math, 5);
    assert_int_equal(other, 1);
    text.size = 0;
    CHECK_OK(config_compare(new, old, &text, &math, &other));
    CHECK(strstr(text.data, "second.name: none -> (absent)\n"), "%s", text.data);
    buffer_close(&text);
}

static Status count_values(void *context, const ConfigValue *v)
{
    int *n = context;
    ++*n;
    if (strcmp(v->section, "train") == 0 && strcmp(v->key, "batch") == 0) {
        assert_string_equal(v->value, "3");
        assert_string_equal(v->origin, "/x/a.yaml:3:9");
        assert_string_equal(v->unit, "examples");
        assert_string_equal(v->help, "Examples per step.");
    }
    if (strcmp(v->section, "model") == 0 && strcmp(v->key, "name") == 0) assert_string_equal(v->value, "han");
    return OK;
}

TEST(each_value_is_visited_with_its_origin)
{
    int n = 0;
    CHECK_OK(config_each(parse(GOOD "train: {batch: 3}\n", 0, NULL), count_values, &n));
    assert_int_equal(n, 4 + 1 + 2 + 2 + 1 + 1 + 2 + 5);
}

TEST(the_reference_holds_every_key_once)
{
    Buffer keys = {0}, page = {0};
    CHECK_OK(config_reference(&fixture_table, CONFIG_KEYS, &keys));
    assert_string_equal(keys.data,
                        "data.path\ndata.files\ndata.memory\ndata.kind\nmodel.name\nmodel.hidden\n"
                        "model.dropout\nmodel.heads\nmodel.scores\nmodel.hops\nmodel.linear_start\noptim.name\n"
                        "optim.learning_rate\noptim.momentum\noptim.beta1\noptim.epsilon\ntrain.batch\n"
                        "train.steps\ntrain.clip\ntrain.shuffle\ntrain.every\nsecond.name\nsecond.momentum\n"
                        "second.beta1\nsecond.epsilon\n");
    keys.size = 0;
    CHECK_OK(config_reference(&fixture_table, CONFIG_CHOICES, &keys));
    assert_string_equal(keys.data,
                        "data.kind: stories documents tables\nmodel.name: han memn2n\n"
                        "model.scores: dot scaled_dot additive\nmodel.linear_start: true false\n"
                        "optim.name: sgd adam none\ntrain.shuffle: true false\nsecond.name: sgd adam none\n");
    CHECK_OK(config_reference(&fixture_table, CONFIG_MARKDOWN, &page));
    CHECK(strstr(page.data, "| `batch` | whole number, 1 to 65536 examples | `64` | Examples per step. |\n"), "%s",
          page.data);
    CHECK(strstr(page.data, "| `path` | path | required | Folder of the corpus. |\n"), "%s", page.data);
    CHECK(strstr(page.data, "| `scores` | list: dot, scaled\\_dot, additive | `[dot, additive]` |"), "%s", page.data);
    CHECK(strstr(page.data, "#### `optim`: `name: adam`\n\nAdam. (Kingma and Ba 2015)\n"), "%s", page.data);
    page.size = 0;
    CHECK_OK(config_reference(&fixture_table, CONFIG_ROFF, &page));
    CHECK(
        strstr(page.data, ".TP\n\\fBepsilon\\fR = \\fI1e\\-8\\fR\nKeeps the division finite. (number, 1e\\-12 to 1)\n"),
        "%s", page.data);
    buffer_close(&keys);
    buffer_close(&page);
}

static const Field bad_rows[] = {
    FIELD(Train, batch, .preset = "0", .min = 1, .max = 2, .help = "Examples."),
    FIELD(Train, batch, .preset = "1", .help = "Examples."),
    {.key = "Batch", .kind = FIELD_INT, .preset = "1", .min = 1, .max = 2, .help = "Upper case."},
    FIELD(Train, steps, .preset = "x", .help = "Steps."),
    FIELD(Train, clip, .preset = "1"),
    FIELD(Train, every, .preset = "1", .choice = fixture_kind, .help = "Time."),
};
static const Section bad_section = {
    .name = "train", .help = "No point", .fields = bad_rows, .n_fields = COUNT(bad_rows), .size = sizeof(Train)};
static const Section bad_choice = {.name = "Optim", .help = "Steps.", .choice = fixture_optims, .preset = "adan"};
static const Section *const bad_list[] = {&bad_section, &bad_choice, NULL};

TEST(a_table_with_wrong_rows_is_found_out)
{
    static const ConfigTable table = {.sections = bad_list};
    CHECK_OK(config_check_table(&fixture_table));
    CHECK_SAYS(config_check_table(&table), ERR_INTERNAL,
               "table: train.: help is a sentence that ends with a point\n"
               "table: train.batch: a key that the section has already\n"
               "table: train.Batch: a key is a lower-case word\n"
               "table: train.clip: help is a sentence that ends with a point\n"
               "table: train.every: only texts and lists have choices\n"
               "preset: train.batch: 0 is out of range; expected 1 to 2\n"
               "preset: train.steps: expected a whole number, found x\n"
               "table: Optim.: a section is a lower-case word\n"
               "table: Optim.name: the preset is none of the choices");
}

static const Field quoted_rows[] = {
    FIELD(Data, path, .preset = "\"\"", .is_file = true, .choice = fixture_kind, .help = "A text in quotes."),
    FIELD(Data, kind, .preset = "'a: b'", .help = "A text in quotes."),
    FIELD(Data, files, .preset = "one", .help = "One word is a list of one."),
};
static const Section quoted_section = {
    .name = "data", .help = "Texts.", .fields = quoted_rows, .n_fields = COUNT(quoted_rows), .size = sizeof(Data)};
static const Section *const quoted_list[] = {&quoted_section, NULL};

TEST(presets_stand_as_they_would_in_yaml)
{
    static const ConfigTable table = {.sections = quoted_list};
    Config *c, *again;
    CHECK_OK(config_check_table(&table));
    CHECK_OK(config_parse(&c, &arena, &table, "x.yaml", "data: {}", 8, 0, NULL));
    const Data *data = config_section(c, "data");
    assert_string_equal(data->path, "");
    assert_string_equal(data->kind, "a: b");
    assert_int_equal(data->files.n, 1);
    const char *text = write_config(c, false);
    assert_string_equal(text, "data:\n  path: \"\"\n  kind: \"a: b\"\n  files: [one]\n");
    CHECK_OK(config_parse(&again, &arena, &table, "x.yaml", text, strlen(text), 0, NULL));
}

/* Whatever allocation fails, the outcome is a Status, never a half-filled config. */
TEST(every_allocation_may_fail)
{
    static const char text[] = GOOD "optim: {learning_rat: 1}\ntrain: {batch: 99999999, clip: x, dropout: 1}\nb: 1\n";
    for (int bad = 0; bad < 2; bad++) {
        long n = 1;
        for (bool reached = true; reached; n++) {
            Arena a = {.fail_in = n};
            Config *c = NULL;
            const char *set = "data.files=[a, b]";
            const Status st =
                config_parse(&c, &a, &fixture_table, "x.yaml", bad ? text : GOOD, strlen(bad ? text : GOOD), 1, &set);
            reached = a.fail_in == 0;
            a.fail_in = 0;
            CHECK(st == OK || st == ERR_HOST || (bad && st == ERR_CONFIG), "allocation %ld: %d", n, (int)st);
            if (reached) CHECK(st != OK, "allocation %ld failed unseen", n);
            if (!reached) CHECK(st == (bad ? ERR_CONFIG : OK), "%s", status_text());
            arena_close(&a);
        }
        CHECK(n > 40, "%ld allocations", n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(structs_are_filled_from_the_text_and_the_presets),
                                       RUN(set_wins_and_the_last_set_wins),
                                       RUN(an_optional_section_is_there_when_it_is_said),
                                       RUN(anchors_blocks_and_quotes_are_yaml),
                                       RUN(what_is_written_says_where_it_comes_from),
                                       RUN(what_is_written_reads_back_to_the_same),
                                       RUN(a_text_that_is_no_path_keeps_every_character),
                                       RUN(a_comparison_tells_what_changes_the_mathematics),
                                       RUN(each_value_is_visited_with_its_origin),
                                       RUN(the_reference_holds_every_key_once),
                                       RUN(a_table_with_wrong_rows_is_found_out),
                                       RUN(presets_stand_as_they_would_in_yaml),
                                       RUN(every_allocation_may_fail)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_close(&arena);
    return failed;
}
