/* Rows that nest: groups and parts are filled, overridden, written, compared and explained like all others. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

#include "component.h"
#include "config_nested.h"

static Arena arena;

static Status try(const char *text, int n_sets, const char *const *sets, Config **c)
{
    return config_parse(c, &arena, &nested_table, "x.yaml", text, strlen(text), n_sets, sets);
}

static const Config *parse(const char *text, int n_sets, const char *const *sets)
{
    Config *c = NULL;
    CHECK_OK(try(text, n_sets, sets, &c));
    return c;
}

#define PAIRS "model: {name: pairs, encoder: recurrent}\n"
#define SAYS(text, message)                                                                                            \
    do {                                                                                                               \
        Config *says_;                                                                                                 \
        CHECK_SAYS(try(text, 0, NULL, &says_), ERR_CONFIG, message);                                                   \
    } while (0)
#define SET_SAYS(set, message)                                                                                         \
    do {                                                                                                               \
        Config *says_;                                                                                                 \
        const char *set_ = set;                                                                                        \
        CHECK_SAYS(try(PAIRS, 1, &set_, &says_), ERR_CONFIG, message);                                                 \
    } while (0)

static const char *written(const Config *c, bool origins)
{
    Buffer b = {0};
    CHECK_OK(config_write(c, origins, &b));
    const char *copy = arena_text(&arena, b.data);
    buffer_close(&b);
    return copy;
}

TEST(groups_and_parts_fill_structs_inside_structs)
{
    const Config *c =
        parse("model:\n  name: pairs\n  reading: {keep: both}\n  attention:\n    score: {name: multi_dim, "
              "rows: 9}\n    file: a\n  encoder: {name: recurrent, cell: gru, layers: 2}\n"
              "text: {reading: {words: 3}, lines: 4}\n",
              0, NULL);
    const Pairs *pairs = config_component(c, "model");
    assert_int_equal(pairs->hidden, 50);
    assert_int_equal(pairs->reading.words, 7); /* the group's preset, not its row's */
    assert_int_equal(pairs->reading.keep, KEEP_BOTH);
    CHECK(pairs->attention.score.def == &nested_scores[1] && !pairs->attention.coverage, "score");
    assert_int_equal(((const ManyScores *)pairs->attention.score.settings)->rows, 9);
    CHECK(pairs->attention.file[0] == '/' && strstr(pairs->attention.file, "/a"), "%s", pairs->attention.file);
    assert_string_equal(pairs->encoder.def->name, "recurrent");
    const Recurrent *encoder = pairs->encoder.settings;
    assert_string_equal(encoder->cell.def->name, "gru");
    assert_int_equal(encoder->layers, 2);
    const Text *text = config_section(c, "text");
    CHECK(text->reading.words == 3 && text->reading.keep == KEEP_HEAD && text->lines == 4, "text");
}

TEST(presets_of_groups_and_parts_stand_before_those_of_their_rows)
{
    const Single *single = config_component(parse("model: {name: single}", 0, NULL), "model");
    assert_string_equal(single->word.score.def->name, "multi_dim");
    assert_int_equal(((const ManyScores *)single->word.score.settings)->rows, 2);
    CHECK(single->word.coverage && single->hidden == 0, "presets");
    single = config_component(parse("model: {name: single, word: {score: dot}, hidden: large}", 0, NULL), "model");
    CHECK(single->word.score.def == &nested_scores[0] && single->word.coverage && single->hidden == 1, "given");
    single = config_component(parse("model: {name: single, word: {score: {rows: 5}}}", 0, NULL), "model");
    assert_int_equal(((const ManyScores *)single->word.score.settings)->rows, 5);
    const Pairs *pairs = config_component(parse(PAIRS, 0, NULL), "model");
    const Recurrent *encoder = pairs->encoder.settings;
    assert_string_equal(encoder->cell.def->name, "lstm");
    CHECK_NEAR(((const Lstm *)encoder->cell.settings)->forget_bias, 2, 0);
}

TEST(settings_made_by_tests_are_those_of_a_config)
{
    static const char *const set[] = {"word.coverage", "false", "hidden", "large", NULL};
    Single single;
    const Component *c = component_find(nested_models, "single");
    component_settings(c, &single, NULL);
    CHECK(single.word.coverage && single.hidden == 0 && single.word.score.def == &nested_scores[1], "presets");
    assert_int_equal(((const ManyScores *)single.word.score.settings)->rows, 2);
    component_settings(c, &single, set);
    component_put(c, &single, "word.score.rows", "9");
    CHECK(!single.word.coverage && single.hidden == 1, "set");
    assert_int_equal(((const ManyScores *)single.word.score.settings)->rows, 9);
    component_put(c, &single, "word.score", "dot");
    assert_string_equal(single.word.score.def->name, "dot");
}

TEST(set_reaches_every_path_and_what_was_not_chosen_rests)
{
    const char *file = "model:\n  name: pairs\n  attention: {score: {name: multi_dim, rows: 8}}\n  encoder: {name: "
                       "recurrent, cell: {name: lstm, forget_bias: 3}}\n";
    static const char *const ways[][2] = {{"model.attention.score=dot", "model.encoder.cell=gru"},
                                          {"model.attention.score.name=dot", "model.encoder.cell.name=gru"},
                                          {"model.attention={score: dot}", "model.encoder={cell: {name: gru}}"}};
    for (int i = 0; i < COUNT(ways); i++) {
        const Pairs *pairs = config_component(parse(file, 2, ways[i]), "model");
        const Recurrent *encoder = pairs->encoder.settings;
        assert_string_equal(pairs->attention.score.def->name, "dot");
        assert_string_equal(encoder->cell.def->name, "gru");
    }
    const char *deep[] = {"model.attention.score.rows=9", "model.encoder.cell.forget_bias=0.5",
                          "model.reading.keep=tail"};
    const Pairs *pairs = config_component(parse(file, 3, deep), "model");
    const Recurrent *encoder = pairs->encoder.settings;
    assert_int_equal(((const ManyScores *)pairs->attention.score.settings)->rows, 9);
    CHECK_NEAR(((const Lstm *)encoder->cell.settings)->forget_bias, 0.5, 0);
    assert_int_equal(pairs->reading.keep, KEEP_TAIL);
    const char *model = "model.name=single"; /* all of what the file said for pairs rests */
    CHECK(config_component(parse(file, 1, &model), "model"), "single");
}

TEST(what_is_written_is_nested_and_reads_back)
{
    const char *sets[] = {"model.encoder.cell=gru", "model.attention.score=multi_dim"};
    const Config *c = parse(PAIRS, 2, sets);
    const char *text = written(c, true);
    assert_string_equal(
        text, "model:\n  name: pairs  # x.yaml:1:9\n  hidden: 50  # preset\n  reading:\n"
              "    words: 7  # preset\n    keep: head  # preset\n  attention:\n    score:\n"
              "      name: multi_dim  # --set 2\n      rows: 4  # preset\n    coverage: false  # preset\n"
              "    file: \"\"  # preset\n  encoder:\n    name: recurrent  # x.yaml:1:22\n"
              "    cell: gru  # --set 1\n    layers: 1  # preset\ntext:\n  reading:\n"
              "    words: 100  # preset\n    keep: head  # preset\n  lines: 0  # preset\n  bucket: auto  # preset\n");
    assert_string_equal(written(parse(text, 0, NULL), false), written(c, false));
}

TEST(the_environment_reaches_every_path)
{
    char dir[] = "/tmp/mneme-config-XXXXXX", path[64];
    CHECK(mkdtemp(dir), "mkdtemp");
    snprintf(path, sizeof path, "%s/a.yaml", dir);
    FILE *f = fopen(path, "w");
    CHECK(f && fputs(PAIRS, f) >= 0 && fclose(f) == 0, "%s", path);
    static const char *const names[] = {"MNEME_MODEL_ATTENTION_SCORE", "MNEME_MODEL_ENCODER_CELL_FORGET_BIAS",
                                        "MNEME_MODEL_ATTENTION_SCORE_ROWS", "MNEME_TEXT_READING_KEEP"};
    static const char *const values[] = {"multi_dim", "4", "6", "tail"};
    for (int i = 0; i < COUNT(names); i++) setenv(names[i], values[i], 1);
    Config *c;
    CHECK_OK(config_load(&c, &arena, NULL, &nested_table, path, 0, NULL));
    const Pairs *pairs = config_component(c, "model");
    const Recurrent *encoder = pairs->encoder.settings;
    const Text *text = config_section(c, "text");
    assert_int_equal(((const ManyScores *)pairs->attention.score.settings)->rows, 6);
    CHECK_NEAR(((const Lstm *)encoder->cell.settings)->forget_bias, 4, 0);
    assert_int_equal(text->reading.keep, KEEP_TAIL);
    setenv("MNEME_MODEL_ATTENTION_SCROE", "dot", 1);
    CHECK_SAYS(config_load(&c, &arena, NULL, &nested_table, path, 0, NULL), ERR_CONFIG,
               "environment MNEME_MODEL_ATTENTION_SCROE: model.attention.scroe: unknown key; did you mean score?");
    for (int i = 0; i < COUNT(names); i++) unsetenv(names[i]);
    unsetenv("MNEME_MODEL_ATTENTION_SCROE");
    CHECK(remove(path) == 0 && remove(dir) == 0, "%s", dir);
}

TEST(files_that_are_included_merge_path_by_path)
{
    char dir[] = "/tmp/mneme-config-XXXXXX", base[64], top[64];
    CHECK(mkdtemp(dir), "mkdtemp");
    snprintf(base, sizeof base, "%s/base.yaml", dir);
    snprintf(top, sizeof top, "%s/top.yaml", dir);
    FILE *f = fopen(base, "w");
    CHECK(f &&
              fputs("model:\n  name: pairs\n  encoder: {name: recurrent, layers: 3}\n  attention: {score: {name: "
                    "multi_dim, rows: 5}, coverage: true, file: b}\n",
                    f) >= 0 &&
              fclose(f) == 0,
          "%s", base);
    f = fopen(top, "w");
    CHECK(f && fputs("include: base.yaml\nmodel: {attention: {score: dot}, encoder: {cell: gru}}\n", f) >= 0 &&
              fclose(f) == 0,
          "%s", top);
    Config *c;
    CHECK_OK(config_load(&c, &arena, NULL, &nested_table, top, 0, NULL));
    const Pairs *pairs = config_component(c, "model");
    const Recurrent *encoder = pairs->encoder.settings;
    assert_string_equal(pairs->attention.score.def->name, "dot");
    CHECK(pairs->attention.coverage && encoder->layers == 3, "merged");
    assert_string_equal(encoder->cell.def->name, "gru");
    CHECK(strncmp(pairs->attention.file, dir, strlen(dir)) == 0, "%s", pairs->attention.file);
    const char *text = written(c, true);
    CHECK(strstr(text, "coverage: true  # ") && strstr(text, "/base.yaml:4:50\n"), "%s", text);
    CHECK(remove(base) == 0 && remove(top) == 0 && remove(dir) == 0, "%s", dir);
}

TEST(names_that_are_not_known_get_the_nearest_at_each_level)
{
    SAYS("model: {name: pairs, encoder: {name: recurrent, layrs: 3}}",
         "x.yaml:1:49: model.encoder.layrs: unknown key; did you mean layers?");
    SAYS("model: {name: pairs, encoder: recurrent, attention: {scroe: dot}}",
         "x.yaml:1:54: model.attention.scroe: unknown key; did you mean score?");
    SAYS("model: {name: pairs, encoder: recurrent, attention: {zzz: dot}}",
         "x.yaml:1:54: model.attention.zzz: unknown key; model.attention has score, coverage, file");
    SAYS("model: {name: pairs, encoder: recurrent, attention: {rows: 3}}",
         "x.yaml:1:54: model.attention.rows: unknown key; rows belongs in model.attention.score");
    SAYS("model: {name: pairs, encoder: recurrent, forget_bias: 3}",
         "x.yaml:1:42: model.forget_bias: unknown key; forget_bias belongs in model.encoder.cell");
    SAYS("model: {name: pairs, encoder: recurrent, attention: {lines: 3}}",
         "x.yaml:1:54: model.attention.lines: unknown key; lines belongs in section text");
    SAYS("model: {name: pairs, encoder: recurent}",
         "x.yaml:1:31: model.encoder: expected one of recurrent, stacked, features; found recurent; did you mean "
         "recurrent?");
    SAYS("model: {name: pairs, encoder: {name: recurrent, cell: {name: rnn}}}",
         "x.yaml:1:62: model.encoder.cell: expected one of gru, lstm; found rnn");
    SAYS("model: {name: pairs, encoder: {name: recurrent, cell: {name: gru, forget_bias: 1}}}",
         "x.yaml:1:67: model.encoder.cell.forget_bias: key forget_bias belongs to lstm, but model.encoder.cell is gru");
    SAYS("model: {name: single, attention: {score: dot}}",
         "x.yaml:1:23: model.attention: key attention belongs to pairs, but model.name is single");
    SAYS("model: {name: pairs, encoder: recurrent, reading: {keep: heads}}",
         "x.yaml:1:58: model.reading.keep: expected one of head, tail, both; found heads; did you mean head?");
    SAYS("model: {name: single, hidden: [large]}",
         "x.yaml:1:31: model.hidden: expected one of small, large; found a list");
}

TEST(what_is_wrong_inside_is_said_with_its_path)
{
    SAYS("model: {name: pairs}", "x.yaml:1:1: model.encoder: missing; expected one of recurrent, stacked, features");
    SAYS("model: {name: pairs, attention: [1], reading: 3, encoder: }",
         "x.yaml:1:33: model.attention: expected keys and values, found a list\n"
         "x.yaml:1:47: model.reading: expected keys and values, found 3\n"
         "x.yaml:1:50: model.encoder: missing; expected one of recurrent, stacked, features");
    SAYS("model: {name: single, word: {score: {rows: 3, rows: 4}}}",
         "x.yaml:1:47: model.word.score.rows: given twice; the first is at line 1, column 38");
    SAYS("model: {name: single, word: {score: {rows: 99}}}",
         "x.yaml:1:44: model.word.score.rows: 99 is out of range; expected 1 to 64");
    SAYS("model: {name: pairs, encoder: {name: stacked, inner: {name: stacked, inner: {name: stacked, inner: {name: "
         "stacked, inner: {name: stacked, inner: {name: stacked, inner: {name: stacked, inner: {name: stacked, inner: "
         "recurrent}}}}}}}}}",
         "x.yaml:1:185: model.encoder.inner.inner.inner.inner.inner.inner.inner.inner: groups and parts inside each "
         "other more than 8 deep");
    SET_SAYS("model.hidden.x=3", "--set 1: model.hidden.x: model.hidden is a value and has no keys");
    SET_SAYS("model.name.x=3", "--set 1: model.name.x: model.name is a value and has no keys");
    SET_SAYS("model..hidden=3", "--set 1: expected section.key=value, found model..hidden=3");
    SET_SAYS("model.attention=dot", "--set 1: model.attention: expected keys and values, found dot");
    SET_SAYS("model.attention.score=", "--set 1: model.attention.score: expected one of dot, multi_dim; found \"\"");
    SET_SAYS("model.attention.score.rows=3",
             "--set 1: model.attention.score.rows: key rows belongs to multi_dim, but model.attention.score is dot");
    SET_SAYS("model.encoder={name", "--set 1:2:1: not valid YAML: did not find expected ',' or '}' (while parsing a "
                                    "flow mapping that begins at line 1, column 1)");
}

TEST(a_word_for_nothing_fills_null)
{
    static const char *const yaml[] = {PAIRS, PAIRS "text: {bucket: auto}\n", PAIRS "text: {bucket: words}\n"};
    for (int i = 0; i < 3; i++) {
        const Config *c = parse(yaml[i], 0, NULL);
        const Text *text = config_section(c, "text");
        CHECK(i < 2 ? !text->bucket : strcmp(text->bucket, "words") == 0, "%s", text->bucket ? text->bucket : "NULL");
        const Text *again = config_section(parse(written(c, false), 0, NULL), "text");
        CHECK(!again->bucket == !text->bucket, "%s", written(c, false));
    }
}

TEST(keys_that_moved_name_the_new_place)
{
    SAYS("model: {name: pairs, encoder: recurrent, score: dot}\ntext: {words: 3}\n",
         "x.yaml:1:42: model.score: this setting is now model.attention.score\n"
         "x.yaml:2:8: text.words: this setting is now text.reading.words");
    SET_SAYS("model.size=3", "--set 1: model.size: this setting is now model.hidden and model.reading.words");
    SET_SAYS("model.rows=3", "--set 1: model.rows: this setting is now model.attention.score.rows");
}

TEST(rules_of_a_table_reach_nested_keys)
{
    const Config *c = parse("model: {name: pairs, encoder: {name: recurrent, layers: 2}}", 0, NULL);
    CHECK(config_given(c, "model", "encoder.layers") && config_given(c, "model", "encoder") &&
              !config_given(c, "model", "encoder.cell.forget_bias") && !config_given(c, "model", "reading.words") &&
              !config_given(c, "model", "reading") && !config_given(c, "model", "no.such.key"),
          "given");
}

static void check_layers(const Config *c, ConfigFaults *faults)
{
    const Pairs *pairs = config_component(c, "model");
    const Recurrent *encoder = pairs->encoder.settings;
    if (encoder->layers == 2) config_fault(faults, "model", "encoder.layers", "not two");
    if (encoder->layers == 3) config_fault(faults, "model", "encoder.cell.forget_bias", "not with three layers");
}

TEST(faults_of_rules_are_placed_where_it_was_said)
{
    static const ConfigTable table = {.sections = nested_list, .check = check_layers};
    static const char two[] = "model:\n  name: pairs\n  encoder:\n    name: recurrent\n    layers: 2\n",
                      three[] = "model:\n  name: pairs\n  encoder: {name: recurrent, layers: 3}\n";
    Config *c;
    CHECK_SAYS(config_parse(&c, &arena, &table, "x.yaml", two, strlen(two), 0, NULL), ERR_CONFIG,
               "x.yaml:5:13: model.encoder.layers: not two");
    CHECK_SAYS(config_parse(&c, &arena, &table, "x.yaml", three, strlen(three), 0, NULL), ERR_CONFIG,
               "x.yaml:3:3: model.encoder.cell.forget_bias: not with three layers");
}

TEST(a_comparison_goes_into_groups_and_parts)
{
    Buffer text = {0};
    int math, other;
    const Config *old = parse(PAIRS, 0, NULL);
    const Config *new = parse("model: {name: pairs, encoder: {name: recurrent, cell: gru, layers: 2}, reading: {keep: "
                              "tail}, attention: {coverage: true, score: {name: multi_dim}}}",
                              0, NULL);
    CHECK_OK(config_compare(old, parse(PAIRS, 0, NULL), &text, &math, &other));
    CHECK(math == 0 && other == 0 && text.size == 0, "equal");
    CHECK_OK(config_compare(old, new, &text, &math, &other));
    assert_string_equal(text.data, "model.reading.keep: head -> tail\nmodel.attention.score: dot -> multi_dim\n"
                                   "model.attention.coverage: false -> true (may change)\n"
                                   "model.encoder.cell: lstm -> gru\nmodel.encoder.layers: 1 -> 2\n");
    CHECK(math == 4 && other == 1, "%d %d", math, other);
    text.size = 0;
    CHECK_OK(config_compare(old, parse("model: {name: single}", 0, NULL), &text, &math, &other));
    assert_string_equal(text.data, "model.name: pairs -> single\n");
    buffer_close(&text);
}

static Status list_value(void *context, const ConfigValue *v)
{
    return buffer_format(context, "%s.%s=%s [%s]\n", v->section, v->key, v->value, v->origin);
}

TEST(each_value_is_visited_with_its_path)
{
    Buffer text = {0};
    CHECK_OK(config_each(parse("model: {name: single, word: {score: {rows: 3}}}", 0, NULL), list_value, &text));
    assert_string_equal(text.data, "model.name=single [x.yaml:1:9]\nmodel.word.score=multi_dim [preset]\n"
                                   "model.word.score.rows=3 [x.yaml:1:38]\nmodel.word.coverage=true [preset]\n"
                                   "model.word.file= [preset]\nmodel.hidden=small [preset]\n"
                                   "text.reading.words=100 [preset]\ntext.reading.keep=head [preset]\n"
                                   "text.lines=0 [preset]\ntext.bucket=auto [preset]\n");
    buffer_close(&text);
}

TEST(the_reference_shows_groups_in_place_and_each_family_once)
{
    Buffer b = {0};
    CHECK_OK(config_reference(&nested_table, CONFIG_KEYS, &b));
    assert_string_equal(b.data, "model.name\nmodel.hidden\nmodel.reading.words\nmodel.reading.keep\n"
                                "model.attention.score\nmodel.attention.score.rows\nmodel.attention.coverage\n"
                                "model.attention.file\nmodel.encoder\nmodel.encoder.cell\n"
                                "model.encoder.cell.forget_bias\nmodel.encoder.layers\nmodel.encoder.inner\n"
                                "model.word.score\nmodel.word.score.rows\nmodel.word.coverage\nmodel.word.file\n"
                                "text.reading.words\ntext.reading.keep\ntext.lines\ntext.bucket\n");
    b.size = 0;
    CHECK_OK(config_reference(&nested_table, CONFIG_CHOICES, &b));
    assert_string_equal(b.data, "model.name: pairs single\nmodel.reading.keep: head tail both\n"
                                "model.attention.score: dot multi_dim\nmodel.attention.coverage: true false\n"
                                "model.encoder: recurrent stacked features\nmodel.encoder.cell: gru lstm\n"
                                "model.encoder.inner: recurrent stacked features\nmodel.word.score: dot multi_dim\n"
                                "model.word.coverage: true false\nmodel.hidden: small large\n"
                                "text.reading.keep: head tail both\n");
    b.size = 0;
    CHECK_OK(config_reference(&nested_table, CONFIG_MARKDOWN, &b));
    static const char *const lines[] = {
        "| `reading` | group | | What is read. |\n| `reading.words` | whole number, 1 to 1000000 words | `7` |",
        "| `attention.score` | part score: dot, multi\\_dim | `dot` | The score. |\n",
        "| `word.score` | part score: dot, multi\\_dim | `{name: multi_dim, rows: 2}` | The score. |\n",
        "| `encoder` | part encoder: recurrent, stacked, features | required | What reads. |\n",
        ("#### `score: multi_dim`\n\nSeveral. (Lin 2017)\n\n| key | value | preset | meaning |\n|---|---|---|---|\n"
         "| `rows` | whole number, 1 to 64 | `4` | Side by side. |\n"),
        "### Part `cell`\n\nOne of gru, lstm: `cell: {name: gru, ...}`, or short `cell: gru`.\n"};
    for (int i = 0; i < COUNT(lines); i++) CHECK(strstr(b.data, lines[i]), "%s in %s", lines[i], b.data);
    const char *once = strstr(b.data, "### Part `score`");
    CHECK(once && !strstr(once + 1, "### Part `score`"), "%s", b.data);
    b.size = 0;
    CHECK_OK(config_reference(&nested_table, CONFIG_ROFF, &b));
    CHECK(strstr(b.data, ".TP\n\\fBreading\\fR\nWhat is read. (group)\n.TP\n\\fBreading.words\\fR = \\fI7\\fR\n"), "%s",
          b.data);
    buffer_close(&b);
}

static const Field wrong_rows[] = {
    FIELD_PART(Pairs, encoder, nested_encoder, .preset = "recurent", .help = "Reads."),
    FIELD_GROUP(Pairs, reading, nested_reading, .preset = "{word: 3}", .help = "Read."),
    FIELD_ROWS(Pairs, attention, &nested_attention, .preset = "{score: {name: multi_dim, rows: 99}}"),
};
static const FieldRows small = {nested_reading, COUNT(nested_reading), 1};
static const Field wrong_single[] = {
    FIELD_ROWS(Single, word, &small, .help = "Word."),
    FIELD(Single, hidden, .preset = "0", .help = "Units."),
};
static const Moved wrong_moved[] = {{"encoder", "reading.words"}, {"words", "encoder reading.wards"}, {0}};
static const Component wrong_models_list[] = {
    {.name = "pairs",
     .help = "Pairs.",
     .fields = wrong_rows,
     .n_fields = 3,
     .size = sizeof(Pairs),
     .moved = wrong_moved},
};
static const Component *wrong_models(int i) { return i < 1 ? &wrong_models_list[i] : NULL; }
static const Section wrong_sections[] = {
    {.name = "model", .help = "Model.", .choice = wrong_models},
    {.name = "single", .help = "Single.", .fields = wrong_single, .n_fields = 1, .size = sizeof(Single)},
};

TEST(a_table_with_wrong_nested_rows_is_found_out)
{
    static const Section *const list[] = {&wrong_sections[0], NULL}, *const sizes[] = {&wrong_sections[1], NULL};
    static const ConfigTable table = {.sections = list}, other = {.sections = sizes};
    CHECK_OK(config_check_table(&nested_table));
    CHECK_SAYS(config_check_table(&table), ERR_INTERNAL,
               "preset: model.reading.word: unknown key; did you mean words?\n"
               "table: model(pairs).encoder.name: the preset is none of the choices\n"
               "table: model(pairs).attention: help is a sentence that ends with a point\n"
               "table: model(pairs).encoder: a key that moved is still a row\n"
               "table: model(pairs).words: there is no row where it moved\n"
               "preset: model.attention.score.rows: 99 is out of range; expected 1 to 64");
    CHECK_SAYS(config_check_table(&other), ERR_INTERNAL,
               "table: single.word: the rows of a group fill a struct of another size");
}

TEST(every_allocation_may_fail)
{
    static const char good[] = "model: {name: single, word: {score: {rows: 3}}}\n",
                      bad[] = "model: {name: pairs, encoder: {name: recurrent, layrs: 3}, score: dot, zzz: 1}\n";
    for (int i = 0; i < 2; i++) {
        long n = 1;
        for (bool reached = true; reached; n++) {
            Arena a = {.fail_in = n};
            Config *c = NULL;
            const char *text = i ? bad : good, *set = "text.reading={words: 4}";
            const Status st = config_parse(&c, &a, &nested_table, "x.yaml", text, strlen(text), 1, &set);
            reached = a.fail_in == 0;
            a.fail_in = 0;
            CHECK(st == OK || st == ERR_HOST || (i && st == ERR_CONFIG), "allocation %ld: %d", n, (int)st);
            if (reached) CHECK(st != OK, "allocation %ld failed unseen", n);
            if (!reached) CHECK(st == (i ? ERR_CONFIG : OK), "%s", status_text());
            arena_close(&a);
        }
        CHECK(n > 40, "%ld allocations", n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(groups_and_parts_fill_structs_inside_structs),
                                       RUN(presets_of_groups_and_parts_stand_before_those_of_their_rows),
                                       RUN(settings_made_by_tests_are_those_of_a_config),
                                       RUN(set_reaches_every_path_and_what_was_not_chosen_rests),
                                       RUN(what_is_written_is_nested_and_reads_back),
                                       RUN(the_environment_reaches_every_path),
                                       RUN(files_that_are_included_merge_path_by_path),
                                       RUN(names_that_are_not_known_get_the_nearest_at_each_level),
                                       RUN(what_is_wrong_inside_is_said_with_its_path),
                                       RUN(a_word_for_nothing_fills_null),
                                       RUN(keys_that_moved_name_the_new_place),
                                       RUN(rules_of_a_table_reach_nested_keys),
                                       RUN(faults_of_rules_are_placed_where_it_was_said),
                                       RUN(a_comparison_goes_into_groups_and_parts),
                                       RUN(each_value_is_visited_with_its_path),
                                       RUN(the_reference_shows_groups_in_place_and_each_family_once),
                                       RUN(a_table_with_wrong_nested_rows_is_found_out),
                                       RUN(every_allocation_may_fail)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_close(&arena);
    return failed;
}
