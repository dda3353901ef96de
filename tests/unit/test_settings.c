/* The program's own table: every row is right, whichever component is chosen, and every shipped config is taken. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "io/corpus/pack.h"
#include "trainer/session/settings.h"

TEST(every_row_of_every_component_is_right) { CHECK_OK(config_check_table(&settings_table)); }

TEST(every_shipped_config_is_taken_and_reads_back)
{
    const char *source = getenv("SOURCE");
    if (!source) skip();
    char folder[1024], path[2048];
    snprintf(folder, sizeof folder, "%s/configs", source);
    DIR *d = opendir(folder);
    CHECK(d, "%s", folder);
    int n = 0;
    for (const struct dirent *e = readdir(d); e; e = readdir(d)) {
        if (!strstr(e->d_name, ".yaml")) continue;
        Arena arena = {0};
        Config *c, *again;
        Buffer once = {0}, twice = {0};
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        CHECK_OK(config_load(&c, &arena, NULL, &settings_table, path, 0, NULL));
        CHECK_OK(config_write(c, false, &once));
        CHECK_OK(config_parse(&again, &arena, &settings_table, path, once.data, once.size, 0, NULL));
        CHECK_OK(config_write(again, false, &twice));
        assert_string_equal(once.data, twice.data);
        buffer_close(&once);
        buffer_close(&twice);
        arena_close(&arena);
        n++;
    }
    closedir(d);
    CHECK(n > 0, "no config in %s", folder);
}

/* A source of translations presets text and subwords, until anyone says anything of either. */
TEST(translations_are_made_of_text_that_can_be_put_together_again)
{
#define PARALLEL "source: {name: parallel, train_source: a, train_target: b"
    static const struct {
        const char *yaml;
        bool lowercase, joiner, by_size;
    } cases[] = {{PARALLEL "}\n", false, true, true},
                 {PARALLEL "}\npack: {min_count: 2}\n", false, true, true},
                 {PARALLEL "}\ntext: {lowercase: true}\n", true, false, false},
                 {PARALLEL "}\ntext: {words: space}\n", true, false, false},
                 {PARALLEL "}\nsubwords: {merges: 0}\n", true, false, false},
                 {PARALLEL "}\nsubwords: {by_size: true}\n", true, false, true},
                 {PARALLEL ", characters: true}\n", true, false, false},
                 {"source: {name: tsv, train: [a]}\n", true, false, false}};
    static const char *const set[] = {"text.numbers=zero"};
    for (int i = 0; i < COUNT(cases); i++)
        for (int sets = 0; sets < 2; sets++) {
            Arena arena = {0};
            Config *c, *again;
            Buffer text = {0};
            CHECK_OK(
                config_parse(&c, &arena, &settings_table, "here", cases[i].yaml, strlen(cases[i].yaml), sets, set));
            const TextSettings *t = config_section(c, "text");
            const SubwordSettings *s = config_section(c, "subwords");
            const bool preset = cases[i].joiner && !sets;
            CHECK(t->lowercase == (cases[i].lowercase || (cases[i].joiner && sets)) && t->joiner == preset &&
                      s->by_size == (cases[i].joiner ? preset : cases[i].by_size),
                  "%s%s: lowercase %d, joiner %d, by_size %d", cases[i].yaml, sets ? " and --set" : "", t->lowercase,
                  t->joiner, s->by_size);
            CHECK_OK(config_write(c, false, &text)); /* and what a run keeps says the same */
            CHECK_OK(config_parse(&again, &arena, &settings_table, "here", text.data, text.size, 0, NULL));
            assert_memory_equal(config_section(again, "text"), t, sizeof *t);
            buffer_close(&text);
            arena_close(&arena);
        }
}

/* What the settings say when they do not go together. */
static void check_fault(const char *yaml, const char *says)
{
    Arena arena = {0};
    Config *c;
    CHECK_FAILS(config_parse(&c, &arena, &settings_table, "here", yaml, strlen(yaml), 0, NULL), ERR_CONFIG);
    CHECK(strstr(status_message(), says), "%s", status_message());
    arena_close(&arena);
}

/* Settings of an attention that do nothing where they stand are refused by name; keys that moved say where. */
#define BOTH(key) "model.word." key " and model.sentence." key

TEST(settings_of_an_attention_stand_in_the_part_that_reads_them)
{
    check_fault("model: {name: han, word: {attention: {score: {name: dot, width: 3}}}}\n",
                "key width belongs to additive or concat or mlp, but model.word.attention.score is dot");
    check_fault("model: {name: seq2seq, attention: {score: {name: general, coverage: true}}}\n",
                "key coverage belongs to additive or concat or mlp, but model.attention.score is general");
    check_fault("model: {name: seq2seq, attention: {select: {name: sparsemax, straight_through: true}}}\n",
                "key straight_through belongs to gumbel, but model.attention.select is sparsemax");
    check_fault("model: {name: seq2seq, attention: {range: {name: global, window: 3}}}\n",
                "key window belongs to local_m or local_p, but model.attention.range is global");
    check_fault("model: {name: seq2seq, attention: {score: dotty}}\n", "dotty");
    static const char *const moved[][3] = {{"han", "score: dot", BOTH("attention.score")},
                                           {"han", "attend: 3", BOTH("attention.score.width")},
                                           {"han", "penalty: 3", BOTH("attention.score.orthogonality")},
                                           {"han", "hidden: 3", BOTH("hidden")},
                                           {"han", "dropout_words: 0", "model.word.dropout_input"},
                                           {"seq2seq", "range: global", "model.attention.range"},
                                           {"seq2seq", "window: 3", "model.attention.range.window"},
                                           {"nested", "select: soft", "model.attention.select"},
                                           {"nested", "entropy: 1", "model.attention.select.entropy"}};
    for (int i = 0; i < COUNT(moved); i++) {
        char yaml[128], says[256];
        snprintf(yaml, sizeof yaml, "model: {name: %s, %s}\n", moved[i][0], moved[i][1]);
        snprintf(says, sizeof says, "this setting is now %s", moved[i][2]);
        check_fault(yaml, says);
    }
}

TEST(dropout_between_layers_needs_two)
{
    check_fault("model: {name: seq2seq, encoder: {dropout: 0.2}}\n",
                "here:1:43: model.encoder.dropout: 0.2 is dropped between layers, but there is one layer");
    check_fault("model: {name: seq2seq, decoder: {dropout: 0.2}}\n", "model.decoder.dropout: 0.2 is dropped");
    check_fault("model: {name: seq2seq, encoder: {layers: 2, dropout: 0.2}, decoder: {layers: 1, dropout: 0.1}}\n",
                "model.decoder.dropout: 0.1 is dropped");
    Arena arena = {0};
    Config *c;
    static const char good[] = "model: {name: seq2seq, encoder: {layers: 2, dropout: 0.2}, decoder: {dropout: 0.1}}\n";
    CHECK_OK(config_parse(&c, &arena, &settings_table, "here", good, strlen(good), 0, NULL));
    arena_close(&arena);
}

TEST(names_of_measures_and_splits_are_known_before_anything_starts)
{
    static const char *const fault[][2] = {
        {"early: {measure: acuracy}",
         "early.measure: task classification has no measure acuracy; did you mean accuracy?"},
        {"eval: {measure: macro_f}",
         "eval.measure: task classification has no measure macro_f; did you mean macro_f1?"},
        {"schedule: {name: plateau, measure: los}",
         "schedule.measure: task classification has no measure los; did you mean loss?"},
        {"early: {measure: bleu}", "early.measure: task classification has no measure bleu"},
        {"eval: {split: vaild}", "eval.split: vaild is no split; did you mean valid?"},
        {"eval: {final: [train, tset]}", "eval.final: tset is no split; did you mean test?"},
        {"eval: {final: [tran]}", "eval.final: tran is no split; did you mean train?"}};
    char yaml[256];
    for (int i = 0; i < COUNT(fault); i++) {
        snprintf(yaml, sizeof yaml, "model: {name: han}\ntask: {name: classification}\n%s\n", fault[i][0]);
        check_fault(yaml, fault[i][1]);
    }
    static const char *const good[] = {"early: {measure: micro_f1}", "eval: {measure: f1/sports}",
                                       "eval: {split: test2016}", "eval: {final: [valid, extra]}",
                                       "schedule: {name: plateau, measure: accuracy}"};
    for (int i = 0; i < COUNT(good); i++) {
        Arena arena = {0};
        Config *c;
        snprintf(yaml, sizeof yaml, "model: {name: han}\ntask: {name: classification}\n%s\n", good[i]);
        CHECK_OK(config_parse(&c, &arena, &settings_table, "here", yaml, strlen(yaml), 0, NULL));
        arena_close(&arena);
    }
}

TEST(a_batch_says_how_many_words_and_lanes_divide_examples)
{
    check_fault("train: {batch_unit: words}\n",
                "train.batch_unit: batch_unit is words, but batch does not say how many");
    check_fault("train: {batch: 10, lanes: 4}\n", "train.lanes: lanes is 4, which does not divide train.batch = 10");
    Arena arena = {0};
    Config *c;
    const char *yaml = "train: {batch: 1001, batch_unit: words, lanes: 4}\n";
    CHECK_OK(config_parse(&c, &arena, &settings_table, "here", yaml, strlen(yaml), 0, NULL));
    arena_close(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(every_row_of_every_component_is_right),
                                       RUN(translations_are_made_of_text_that_can_be_put_together_again),
                                       RUN(every_shipped_config_is_taken_and_reads_back),
                                       RUN(settings_of_an_attention_stand_in_the_part_that_reads_them),
                                       RUN(dropout_between_layers_needs_two),
                                       RUN(names_of_measures_and_splits_are_known_before_anything_starts),
                                       RUN(a_batch_says_how_many_words_and_lanes_divide_examples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
