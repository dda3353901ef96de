/* A good config fills the structs; what was said last wins. */
#include "check.h"

#include <math.h>

#include "config_fixture.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(structs_are_filled_from_the_text_and_the_presets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
