/* Every bad config ends in one message that says where, what was found, and what was expected. */
#include "check.h"

#include <math.h>
#include <stdlib.h>

#include "config_fixture.h"

#define GOOD "data: {path: p}\nmodel: {name: han}\n"

static Status parse(const char *text, size_t size, int n_sets, const char *const *sets)
{
    static Arena arena;
    const ArenaMark mark = arena_mark(&arena);
    Config *c;
    const Status st = config_parse(&c, &arena, &fixture_table, "x.yaml", text, size, n_sets, sets);
    arena_release(&arena, mark);
    return st;
}

static Status text_only(const char *text) { return parse(text, strlen(text), 0, NULL); }

static Status with_set(const char *set) { return parse(GOOD, strlen(GOOD), 1, &set); }

#define SAYS(text, message)    CHECK_SAYS(text_only(text), ERR_CONFIG, message)
#define SET_SAYS(set, message) CHECK_SAYS(with_set(set), ERR_CONFIG, message)

TEST(what_is_no_yaml_says_where)
{
    SAYS("", "x.yaml: the file is empty");
    SAYS("# only a comment\n", "x.yaml: the file holds nothing but comments");
    SAYS("\xef\xbb\xbf", "x.yaml: the file is empty");
    SAYS("a: \xff\n", "x.yaml:1:4: byte 0xff is not UTF-8");
    SAYS("a: \xe4\xbd\xa0\nb: \xc3\n", "x.yaml:2:4: byte 0xc3 is not UTF-8");
    SAYS("a: \x01\n", "x.yaml:1:4: control character 0x01");
    CHECK_SAYS(parse("a: 1\n\0", 6, 0, NULL), ERR_CONFIG, "x.yaml:2:1: a NUL byte: this is not a text file");
    CHECK_SAYS(parse("\xff\xfe"
                     "a\0",
                     4, 0, NULL),
               ERR_CONFIG, "x.yaml:1:1: the file is UTF-16; save it as UTF-8");
    SAYS("data:\n\tpath: x\n", "x.yaml:2:1: a tab indents this line; YAML is indented with spaces");
    SAYS("data:\n  path: x\n  \tkind: y\n", "x.yaml:3:3: a tab indents this line; YAML is indented with spaces");
    SAYS("data: [1, 2\nmodel: 3\n",
         "x.yaml:2:6: not valid YAML: did not find expected ',' or ']' (while parsing a flow "
         "sequence that begins at line 1, column 7)");
    SAYS("a: b: c\n", "x.yaml:1:5: not valid YAML: mapping values are not allowed in this context");
    SAYS("a: 1\n---\nb: 2\n", "x.yaml:2:1: a second document begins here; a config is one document");
    SAYS("[data, model]\n", "x.yaml:1:1: expected sections with keys and values at the top, found a list");
    SAYS("hello\n", "x.yaml:1:1: expected sections with keys and values at the top, found hello");
    SAYS("%TAG ! x\n---\na: 1\n", "x.yaml:1:1: a line that begins with %: YAML directives are not used in a config");
    SAYS("a: !!int 3\n", "x.yaml:1:4: tag !!int: tags are not used in a config");
    SAYS("a: !own 3\n", "x.yaml:1:4: tag !own: tags are not used in a config");
    SAYS("? [a]\n: 3\n", "x.yaml:1:3: a key must be a word, found a list");
    SAYS("a: \"\\0\"\n", "x.yaml:1:4: a text with a NUL character");
    SAYS("a: &x [*x]\n", "x.yaml:1:8: *x stands inside what it names");
    SAYS("a: *y\n", "x.yaml:1:4: *y: there is no anchor &y before it");
}

static char *repeat(const char *head, const char *piece, int n, const char *tail)
{
    static Arena arena;
    arena_close(&arena);
    const size_t size = strlen(piece);
    char *text = arena_alloc(&arena, strlen(head) + size * (size_t)n + strlen(tail) + 1), *at = text;
    assert_non_null(text);
    at += strlen(strcpy(at, head));
    for (int i = 0; i < n; i++, at += size) memcpy(at, piece, size);
    strcpy(at, tail);
    return text;
}

/* Each of these costs libyaml alone seconds to hours. */
TEST(bombs_are_refused_at_once)
{
    SAYS(repeat("", "[", 100000, ""), "x.yaml:1:65: nested deeper than 64 levels");
    SAYS(repeat("", "{a: ", 100000, ""), "x.yaml:1:257: nested deeper than 64 levels");
    SAYS(repeat("", "- ", 100000, ""), "x.yaml:1:129: nested deeper than 64 levels");
    SAYS(repeat("a: [", "[],", 100000, ""),
         "x.yaml:1:299996: more than 100000 values (aliases count as what they stand for)");
    SAYS(repeat("a: ", "x", 2 << 20, ""), "x.yaml: 2097155 bytes, more than the 1048576 that are allowed");
    SAYS(repeat("", "%TAG !a! b\n", 90000, ""),
         "x.yaml:1:1: a line that begins with %: YAML directives are not used in a config");
    SAYS("a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"
         "d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e]\n",
         "x.yaml:5:29: more than 100000 values (aliases count as what they stand for)");
#define TEN_OPEN  "[[[[[[[[[["
#define TEN_CLOSE "]]]]]]]]]]"
    SAYS("a: &a " TEN_OPEN TEN_OPEN TEN_OPEN TEN_OPEN "x" TEN_CLOSE TEN_CLOSE TEN_CLOSE TEN_CLOSE
         "\nb: " TEN_OPEN TEN_OPEN TEN_OPEN "*a\n",
         "x.yaml:2:34: nested deeper than 64 levels");
}

TEST(names_that_are_not_known_get_the_nearest)
{
    SAYS(GOOD "optim:\n  learning_rat: 1\n",
         "x.yaml:4:3: optim.learning_rat: unknown key; did you mean learning_rate?");
    SAYS(GOOD "optimizer: {}\n", "x.yaml:3:1: optimizer: unknown section; did you mean optim?");
    SAYS(GOOD "tarin: {}\n", "x.yaml:3:1: tarin: unknown section; did you mean train?");
    SAYS(GOOD "inclde: a.yaml\n", "x.yaml:3:1: inclde: unknown section; did you mean include?");
    SAYS(GOOD "zzz: {}\n", "x.yaml:3:1: zzz: unknown section; there are data, model, optim, train, second");
    SAYS(GOOD "batch: 3\n", "x.yaml:3:1: batch: unknown section; the key batch belongs in section train");
    SAYS(GOOD "train: {dropout: 0}\n", "x.yaml:3:9: train.dropout: unknown key; dropout belongs in section model");
    SAYS(GOOD "train: {momentum: 0}\n",
         "x.yaml:3:9: train.momentum: unknown key; momentum belongs in section optim or second");
    SAYS(GOOD "train: {dropuot: 0}\n",
         "x.yaml:3:9: train.dropuot: unknown key; did you mean dropout in section model?");
    SAYS(GOOD "train: {zzz: 0}\n",
         "x.yaml:3:9: train.zzz: unknown key; section train has batch, steps, clip, shuffle, every");
    SAYS(GOOD "second: {zzz: 0}\n", "x.yaml:3:1: second.name: missing; expected one of sgd, adam, none\n"
                                    "x.yaml:3:10: second.zzz: unknown key; section second has name");
    SAYS(GOOD "optim: {momentum: 0.9}\n",
         "x.yaml:3:9: optim.momentum: key momentum belongs to sgd, but optim.name is adam");
    SAYS("data: {path: p}\nmodel: {name: hna}\n",
         "x.yaml:2:15: model.name: expected one of han, memn2n; found hna; did you mean han?");
    SAYS("data: {path: p}\nmodel: {name: 5}\n", "x.yaml:2:15: model.name: expected one of han, memn2n; found 5");
    SAYS("data: {path: p}\nmodel: {name: [han]}\n",
         "x.yaml:2:15: model.name: expected one of han, memn2n; found a list");
    SAYS("data: {path: p, kind: tabels}\nmodel: {name: han}\n",
         "x.yaml:1:23: data.kind: expected one of stories, documents, tables; found tabels; did you mean tables?");
    SAYS("data: {path: p}\nmodel: {name: han, scores: [dot, 7]}\n",
         "x.yaml:2:34: model.scores: expected one of dot, scaled_dot, additive; found 7");
}

TEST(what_is_said_twice_or_not_at_all)
{
    SAYS(GOOD "train:\n  batch: 1\n  batch: 2\n",
         "x.yaml:5:3: train.batch: given twice; the first is at line 4, column 3");
    SAYS(GOOD "data: {path: q}\n", "x.yaml:3:1: data: given twice; the first is at line 1, column 1");
    SAYS("train: {}\n", "x.yaml: data.path: missing; expected a text\n"
                        "x.yaml: model.name: missing; expected one of han, memn2n");
    SAYS("data:\nmodel: {}\n", "x.yaml:1:1: data.path: missing; expected a text\n"
                               "x.yaml:2:1: model.name: missing; expected one of han, memn2n");
    SAYS("data: {path: p}\nmodel: han\n",
         "x.yaml:2:8: model: expected keys and values, found han; write model: {name: han}");
    SAYS("data: [a]\nmodel: {name: han}\n", "x.yaml:1:7: data: expected keys and values, found a list");
    SAYS("data: {path: }\nmodel: {name: han}\n",
         "x.yaml:1:14: data.path: expected a text, found nothing; write \"\" for an empty text");
    SAYS("data: {path: p, files: }\nmodel: {name: han}\n",
         "x.yaml:1:24: data.files: expected a list of texts, found nothing; write [] for an empty list");
    SAYS("data: {path: p, files: {a: b}}\nmodel: {name: han}\n",
         "x.yaml:1:24: data.files: expected a list of texts, found a map");
    SAYS("data: {path: p, files: [a, [b]]}\nmodel: {name: han}\n",
         "x.yaml:1:28: data.files: expected a list of texts, found a list");
    SAYS("data: {path: [p]}\nmodel: {name: han}\n", "x.yaml:1:14: data.path: expected a text, found a list");
}

TEST(numbers_say_what_is_wrong_with_them)
{
    SAYS(GOOD "optim: {learning_rate: fast}", "x.yaml:3:24: optim.learning_rate: expected a number, found fast");
    SAYS(GOOD "optim: {learning_rate: \"1e-4\"}",
         "x.yaml:3:24: optim.learning_rate: expected a number, found \"1e-4\"; remove the quotes");
    SAYS(GOOD "optim: {learning_rate: 1e400}",
         "x.yaml:3:24: optim.learning_rate: 1e400 is out of range; expected 1e-09 to 10");
    SAYS(GOOD "optim: {learning_rate: 1e-400}",
         "x.yaml:3:24: optim.learning_rate: 1e-400 is out of range; expected 1e-09 to 10");
    SAYS(GOOD "optim: {learning_rate: 11}",
         "x.yaml:3:24: optim.learning_rate: 11 is out of range; expected 1e-09 to 10");
    SAYS(GOOD "optim: {learning_rate: 0x1p3}",
         "x.yaml:3:24: optim.learning_rate: expected a number, found 0x1p3; hexadecimal is not read");
    SAYS(GOOD "optim: {learning_rate: .nan}", "x.yaml:3:24: optim.learning_rate: expected a number, found .nan");
    SAYS(GOOD "optim: {learning_rate: -inf}", "x.yaml:3:24: optim.learning_rate: expected a number, found -inf");
    SAYS(GOOD "optim: {learning_rate: 1,5}",
         "x.yaml:3:26: optim.5: unknown key; section optim has name, learning_rate, "
         "beta1, epsilon");
    SAYS(GOOD "optim: {learning_rate: ~}", "x.yaml:3:24: optim.learning_rate: expected a number, found nothing");
    SAYS(GOOD "train: {batch: 1.5}", "x.yaml:3:16: train.batch: expected a whole number, found 1.5");
    SAYS(GOOD "train: {batch: 0}", "x.yaml:3:16: train.batch: 0 is out of range; expected 1 to 65536 examples");
    SAYS(GOOD "train: {steps: -2}", "x.yaml:3:16: train.steps: -2 is out of range; expected at least 1");
    SAYS(GOOD "train: {batch: 1e30}", "x.yaml:3:16: train.batch: 1e30 is out of range; expected 1 to 65536 examples");
    SAYS(GOOD "train: {batch: 99999999999999999999}",
         "x.yaml:3:16: train.batch: 99999999999999999999 is out of range; expected 1 to 65536 examples");
    SAYS(GOOD "train: {batch: 1__0}", "x.yaml:3:16: train.batch: expected a whole number, found 1__0");
    SAYS(GOOD "train: {batch: \"64\"}",
         "x.yaml:3:16: train.batch: expected a whole number, found \"64\"; remove the quotes");
    SAYS(GOOD "train: {shuffle: 1}",
         "x.yaml:3:18: train.shuffle: expected true or false, found 1; 0 and 1 are numbers");
    SAYS(GOOD "train: {shuffle: maybe}", "x.yaml:3:18: train.shuffle: expected true or false, found maybe");
    SAYS(GOOD "train: {shuffle: \"yes\"}",
         "x.yaml:3:18: train.shuffle: expected true or false, found \"yes\"; remove the quotes");
    SAYS(GOOD "train: {every: 3 weeks}",
         "x.yaml:3:16: train.every: expected a duration such as 15min (units ms s min h d), "
         "found \"3 weeks\"; unknown unit");
    SAYS(GOOD "train: {every: 2d}", "x.yaml:3:16: train.every: 2d is out of range; expected 1s to 1d");
    SAYS("data: {path: p, memory: 5 MX}\nmodel: {name: han}\n",
         "x.yaml:1:25: data.memory: expected a size such as 512MiB (units B KB MB GB TB KiB MiB GiB TiB), found \"5 "
         "MX\"; "
         "unknown unit");
    SAYS("data: {path: p, memory: 0.0001KiB}\nmodel: {name: han}\n",
         "x.yaml:1:25: data.memory: expected a size such as 512MiB (units B KB MB GB TB KiB MiB GiB TiB), "
         "found 0.0001KiB; not a whole number of bytes");
    SAYS("data: {path: p, memory: 1KiB}\nmodel: {name: han}\n",
         "x.yaml:1:25: data.memory: 1KiB is out of range; expected 64KiB to 1024TiB");
}

TEST(bounds_are_inclusive)
{
    static const char *const good[] = {"train.batch=1",  "train.batch=65536", "model.dropout=0",  "model.dropout=0.9",
                                       "train.every=1d", "train.steps=9e18",  "data.memory=64KiB"};
    for (int i = 0; i < COUNT(good); i++) CHECK_OK(with_set(good[i]));
    SET_SAYS("train.batch=65537", "--set 1: train.batch: 65537 is out of range; expected 1 to 65536 examples");
    SET_SAYS("model.dropout=0.9000000000000001",
             "--set 1: model.dropout: 0.9000000000000001 is out of range; expected 0 to 0.9");
}

TEST(all_faults_come_at_once_in_the_order_of_the_file)
{
    SAYS("train:\n  learning_rate: 3\n  batch: \"64\"\n  batch: 12\nmodel: {name: han, hops: 2}\ndata: {path: p}\n"
         "optim: {name: sgd, momentum: 2}\n",
         "x.yaml:2:3: train.learning_rate: unknown key; learning_rate belongs in section optim\n"
         "x.yaml:3:10: train.batch: expected a whole number, found \"64\"; remove the quotes\n"
         "x.yaml:4:3: train.batch: given twice; the first is at line 3, column 3\n"
         "x.yaml:5:20: model.hops: key hops belongs to memn2n, but model.name is han\n"
         "x.yaml:7:30: optim.momentum: 2 is out of range; expected 0 to 0.9999");
    char *text = repeat(GOOD "train:\n", "  batsh: 1\n", 200, "");
    CHECK_FAILS(text_only(text), ERR_CONFIG);
    CHECK(strstr(status_message(), "\nand 150 more faults"), "%s", status_message());
}

TEST(faults_of_set_are_numbered)
{
    SET_SAYS("optim.lerning_rate=1", "--set 1: optim.lerning_rate: unknown key; did you mean learning_rate?");
    SET_SAYS("train.batch=0", "--set 1: train.batch: 0 is out of range; expected 1 to 65536 examples");
    SET_SAYS("train.batch=", "--set 1: train.batch: expected a whole number, found \"\"");
    SET_SAYS("train.batch=\"64\"", "--set 1: train.batch: expected a whole number, found \"64\"; remove the quotes");
    SET_SAYS("train", "--set 1: expected section.key=value, found train");
    SET_SAYS("train=1", "--set 1: expected section.key=value, found train=1");
    SET_SAYS("a.b=1", "--set 1: a: unknown section; there are data, model, optim, train, second");
    SET_SAYS("data.path=\xff", "--set 1: data.path=\\xff: not UTF-8");
    SET_SAYS("data.path=[a", "--set 1:2:1: not valid YAML: did not find expected ',' or ']' (while parsing a flow "
                             "sequence that begins at line 1, column 1)");
    SET_SAYS("model.hops=2", "--set 1: model.hops: key hops belongs to memn2n, but model.name is han");
    const char *sets[] = {"train.batch=1", "train.bacth=1", "x", "train.clip=-1"};
    CHECK_SAYS(parse(GOOD, strlen(GOOD), 4, sets), ERR_CONFIG,
               "--set 2: train.bacth: unknown key; did you mean batch?\n"
               "--set 3: expected section.key=value, found x\n"
               "--set 4: train.clip: -1 is out of range; expected 0 to 1000000");
}

TEST(rules_over_several_fields_point_to_what_was_given)
{
    SAYS(GOOD "train: {batch: 13}\n", "x.yaml:3:16: train.batch: 13 does not go with model.hidden 50");
    SAYS(GOOD "train: {batch: 14}\n", "x.yaml:1:1: data: not with 14");
    SET_SAYS("train.batch=13", "--set 1: train.batch: 13 does not go with model.hidden 50");
}

TEST(the_nearest_name_is_near)
{
    static const char *const names[] = {"learning_rate", "batch", "path", "hops"};
    assert_string_equal(config_nearest("Learnign_rate", names, 4), "learning_rate"); /* case, exchange */
    assert_string_equal(config_nearest("hop", names, 4), "hops");
    assert_string_equal(config_nearest("learning", names, 4), "learning_rate"); /* a beginning */
    CHECK(config_nearest("", names, 4) == NULL && config_nearest("zz", names, 4) == NULL &&
              config_nearest("decoder", names, 4) == NULL && config_nearest("x", names, 0) == NULL,
          "far names are no help");
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(what_is_no_yaml_says_where),
                                       RUN(bombs_are_refused_at_once),
                                       RUN(names_that_are_not_known_get_the_nearest),
                                       RUN(what_is_said_twice_or_not_at_all),
                                       RUN(numbers_say_what_is_wrong_with_them),
                                       RUN(bounds_are_inclusive),
                                       RUN(all_faults_come_at_once_in_the_order_of_the_file),
                                       RUN(faults_of_set_are_numbered),
                                       RUN(rules_over_several_fields_point_to_what_was_given),
                                       RUN(the_nearest_name_is_near)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
