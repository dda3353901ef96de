/* What was looked at is filled from fields by role and level: words with their sentences, pieces and ends, pictures,
 * gold, and what a tape kept of attentions of every form. Batch and weights are made by hand. */
#include "check.h"
#include "io/config/schema.h"
#include "trainer/look/look.h"

static Arena arena;

static int tear_down(void **state)
{
    (void)state;
    arena_close(&arena);
    return 0;
}

static const DataField text = {.name = "news", .role = ROLE_INPUT, .levels = 2, .vocab = "w"};
static const DataField question = {.name = "cloze", .role = ROLE_QUERY, .levels = 1, .vocab = "w"};
static const DataField regions = {
    .name = "regions", .role = ROLE_FEATURES, .levels = 1, .type = FIELD_FLOATS, .width = 3};
static const DataField caption = {.name = "caption", .role = ROLE_TARGET, .levels = 1, .vocab = "w"};
static const DataField spelling = {.name = "letters", .role = ROLE_SPELLING, .of = "cloze", .levels = 2, .vocab = "c"};
static const DataField facts = {.name = "facts", .role = ROLE_GOLD, .of = "news", .levels = 1, .unit = 1};
static const DataField keys = {.name = "keys", .role = ROLE_GOLD, .of = "news", .levels = 1, .unit = 2};
static const DataField seen = {.name = "seen", .role = ROLE_GOLD, .of = "regions", .levels = 1, .unit = 1};
static const DataField links = {
    .name = "links", .role = ROLE_GOLD, .of = "news", .levels = 1, .unit = 2, .links = true, .possible = true};

static const int64_t one[] = {0, 3}, sentence[] = {0, 2, 3, 6}, two[] = {0, 2}, four[] = {0, 4}, six[] = {0, 6};
static const int32_t id[] = {1, 2, 3, 4, 5, 6};

/* Three sentences of 2, 1 and 3 words; a question of 2; 6 regions; a caption of 3 pieces of 2 words, and its end. */
static Batch make_batch(const Word *word[BATCH_FIELDS])
{
    static const Word words[] = {{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}, {"e", 1}, {"f", 1}};
    static const Word pieces[] = {{"ba@@", 4}, {"by", 2}, {"sleeps", 6}};
    static const float colour[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1, 0.5F, 0.5F, 0.5F};
    static const int32_t fact[] = {2, 3}, key[] = {4, 6}, cell[] = {1, 5}, link[] = {5, 1, 6, 0};
    static const int64_t example[] = {7};
    static const Ragged field[] = {{.field = &text, .count = {1, 3, 6}, .offset = {one, sentence}, .id = id},
                                   {.field = &question, .count = {1, 2}, .offset = {two}, .id = id},
                                   {.field = &regions, .count = {1, 6}, .offset = {six}, .value = colour},
                                   {.field = &caption, .count = {1, 3}, .offset = {one}, .id = id},
                                   {.field = &spelling, .count = {1, 2, 4}, .offset = {two, four}, .id = id},
                                   {.field = &facts, .count = {1, 2}, .offset = {two}, .id = fact},
                                   {.field = &keys, .count = {1, 2}, .offset = {two}, .id = key},
                                   {.field = &seen, .count = {1, 2}, .offset = {two}, .id = cell},
                                   {.field = &links, .count = {1, 4}, .offset = {four}, .id = link}};
    Batch b = {.B = 1, .all = 1, .example = example, .n_fields = COUNT(field)};
    memcpy(b.field, field, sizeof field);
    word[0] = word[1] = words;
    word[3] = pieces;
    word[4] = words;
    return b;
}

static AttentionExample make_example(bool cut)
{
    const Word *word[BATCH_FIELDS] = {NULL};
    const Batch b = make_batch(word);
    AttentionExample e = {.id = "x"};
    CHECK_OK(look_fields(&b, word, cut, &arena, &e));
    CHECK_OK(attention_check(&e));
    return e;
}

TEST(fields_are_taken_by_role_and_level)
{
    const AttentionExample e = make_example(false);
    static const char *const name[] = {"news", "cloze", "regions", "caption"};
    assert_int_equal(e.n_fields, 4); /* not the spelling, not the gold */
    for (int f = 0; f < 4; f++) assert_string_equal(e.field[f].name, name[f]);
    CHECK(e.field[0].n_sentences == 3 && e.field[0].sentence[2] == 3 && e.field[0].words.n == 6, "sentences");
    CHECK(e.field[1].levels == 1 && e.field[1].words.n == 2 && !e.field[1].words.part_of, "question");
    const AttentionWords *w = &e.field[3].words;
    CHECK(w->n == 4 && w->part_of[0] == 0 && w->part_of[1] == 0 && w->part_of[2] == 1 && w->part_of[3] == -1, "pieces");
    CHECK(strcmp(w->text + w->start[3], "</s>") == 0, "the end is looked at too");
}

TEST(three_numbers_a_cell_are_a_picture_in_grey)
{
    const AttentionExample e = make_example(false);
    const AttentionField *f = &e.field[2];
    static const double grey[] = {0, 0.299, 0.587, 0.114, 1, 0.5};
    CHECK(f->height == 2 && f->width == 3, "%lld x %lld", (long long)f->height, (long long)f->width);
    for (int i = 0; i < 6; i++) CHECK_NEAR(f->grey[i], grey[i], 1e-12);
}

TEST(gold_counts_units_of_its_field_and_what_was_cut_off_is_left_out)
{
    AttentionExample e = make_example(false);
    const AttentionGold *g = attention_gold(&e, AXIS_SENTENCES, 0, -1, false);
    CHECK(g && g->n == 1 && g->at[0] == 2, "there is no sentence 3");
    g = attention_gold(&e, AXIS_WORDS, 0, -1, false);
    CHECK(g && g->n == 1 && g->at[0] == 4, "there is no word 6");
    g = attention_gold(&e, AXIS_CELLS, 2, -1, false);
    CHECK(g && g->n == 2 && g->at[1] == 5, "cells");
    g = attention_gold(&e, AXIS_WORDS, 0, 3, true);
    CHECK(g && g->n == 1 && g->at[0] == 5 && g->at[1] == 1, "links");
    e = make_example(true);
    CHECK(!attention_gold(&e, AXIS_WORDS, 0, -1, false) && attention_gold(&e, AXIS_SENTENCES, 0, -1, false),
          "words of sentences that were cut have other places");
}

/* n rows of `heads` numbers: head h of row i has i + h / 10. */
static void show(Tape *t, TapeView v, int64_t queries, const int64_t *offset, int64_t heads)
{
    const int64_t n = offset[queries];
    real *value = arena_alloc(&arena, (size_t)(n * heads) * sizeof *value);
    for (int64_t i = 0; i < n; i++)
        for (int64_t h = 0; h < heads; h++) value[i * heads + h] = (real)i + (real)h / 10;
    v.weight = tape_leaf(t, SHAPE2(n, heads), value, NULL);
    v.keys = (Segments){queries, offset};
    tape_view(t, &v);
}

static Tape watching(void)
{
    Tape t = tape_begin(&arena);
    t.watch = true;
    return t;
}

static void is_axis(const AttentionAxis *a, AxisUnit unit, int field, int64_t size)
{
    CHECK(a->unit == unit && a->field == field && a->size == size, "unit %d of field %d, %lld", a->unit, a->field,
          (long long)a->size);
}

TEST(words_of_sentences_and_heads_are_views)
{
    AttentionExample e = make_example(false);
    Tape t = watching();
    show(&t, (TapeView){.name = "word", .columns = {.unit = AXIS_WORDS, .role = ROLE_INPUT, .by_sentence = true}}, 3,
         sentence, 2);
    CHECK_OK(look_views(&t, 1, &arena, &e));
    CHECK_OK(attention_check(&e));
    assert_int_equal(e.n_views, 2);
    for (int h = 0; h < 2; h++) {
        is_axis(&e.view[h].rows, AXIS_NONE, -1, 1);
        is_axis(&e.view[h].columns, AXIS_WORDS, 0, 6);
        CHECK(e.view[h].head == h && e.view[h].columns.by_sentence, "head %d", h);
        for (int i = 0; i < 6; i++) CHECK_NEAR(e.view[h].weight[i], i + 0.1 * h, 1e-6);
    }
}

TEST(a_memory_of_the_newest_sentences_has_no_weight_on_the_others)
{
    AttentionExample e = make_example(false);
    Tape t = watching();
    show(&t, (TapeView){.name = "story", .hop = 2, .columns = {.unit = AXIS_SENTENCES, .role = ROLE_INPUT}}, 1, two, 1);
    CHECK_OK(look_views(&t, 0, &arena, &e));
    is_axis(&e.view[0].columns, AXIS_SENTENCES, 0, 3);
    CHECK(e.view[0].hop == 2 && e.view[0].weight[0] == 0 && e.view[0].weight[1] == 0 && e.view[0].weight[2] == 1,
          "newest last");
}

TEST(queries_of_one_field_look_at_another_or_at_their_own)
{
    static const int64_t reader[] = {0, 6, 12}, self[] = {0, 2, 4};
    AttentionExample e = make_example(false);
    Tape t = watching();
    const TapeAxis asked = {.unit = AXIS_WORDS, .role = ROLE_QUERY};
    show(&t, (TapeView){.name = "reader", .rows = asked, .columns = {.unit = AXIS_WORDS, .role = ROLE_INPUT}}, 2,
         reader, 1);
    show(&t, (TapeView){.name = "self", .layer = 3, .head = 4, .rows = asked, .columns = asked}, 2, self, 1);
    CHECK_OK(look_views(&t, 0, &arena, &e));
    CHECK_OK(attention_check(&e));
    is_axis(&e.view[0].rows, AXIS_WORDS, 1, 2);
    is_axis(&e.view[0].columns, AXIS_WORDS, 0, 6);
    CHECK(e.view[0].weight[6] == 6, "row by row");
    is_axis(&e.view[1].columns, AXIS_WORDS, 1, 2);
    CHECK(e.view[1].layer == 3 && e.view[1].head == 4, "layer and head of one that stands alone");
}

TEST(a_model_says_how_wide_its_picture_is)
{
    static const int64_t each[] = {0, 6, 12, 18, 24};
    AttentionExample e = make_example(false);
    Tape t = watching();
    show(&t,
         (TapeView){.name = "picture",
                    .rows = {.unit = AXIS_WORDS, .role = ROLE_TARGET},
                    .columns = {.unit = AXIS_CELLS, .role = ROLE_FEATURES, .width = 2}},
         4, each, 1);
    CHECK_OK(look_views(&t, 0, &arena, &e));
    CHECK_OK(attention_check(&e));
    is_axis(&e.view[0].rows, AXIS_WORDS, 3, 4);
    is_axis(&e.view[0].columns, AXIS_CELLS, 2, 6);
    CHECK(e.field[2].height == 3 && e.field[2].width == 2, "%lld x %lld", (long long)e.field[2].height,
          (long long)e.field[2].width);
}

TEST(steps_over_slots_belong_to_no_field)
{
    static const int64_t steps[] = {0, 5, 10, 15};
    AttentionExample e = make_example(false);
    Tape t = watching();
    show(&t, (TapeView){.name = "read", .rows = {.unit = AXIS_STEPS}, .columns = {.unit = AXIS_SLOTS}}, 3, steps, 2);
    CHECK_OK(look_views(&t, 0, &arena, &e));
    CHECK_OK(attention_check(&e));
    is_axis(&e.view[1].rows, AXIS_STEPS, -1, 3);
    is_axis(&e.view[1].columns, AXIS_SLOTS, -1, 5);
    CHECK_NEAR(e.view[1].weight[14], 14.1, 1e-6);
}

TEST(weights_that_do_not_fit_their_axes_are_our_own_mistake)
{
    static const int64_t short_rows[] = {0, 5, 10}, one_query[] = {0, 6};
    AttentionExample e = make_example(false);
    Tape t = watching();
    const TapeAxis asked = {.unit = AXIS_WORDS, .role = ROLE_QUERY}, read = {.unit = AXIS_WORDS, .role = ROLE_INPUT};
    show(&t, (TapeView){.name = "reader", .rows = asked, .columns = read}, 2, short_rows, 1);
    CHECK_SAYS(look_views(&t, 0, &arena, &e), ERR_INTERNAL, "attention reader has 5 weights for 6 places");
    e = make_example(false);
    t = watching();
    show(&t, (TapeView){.name = "reader", .rows = asked, .columns = read}, 1, one_query, 1);
    CHECK_SAYS(look_views(&t, 0, &arena, &e), ERR_INTERNAL, "attention reader has 1 rows for 2 places");
}

#define LOOK(name) cmocka_unit_test_teardown(name, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {LOOK(fields_are_taken_by_role_and_level),
                                       LOOK(three_numbers_a_cell_are_a_picture_in_grey),
                                       LOOK(gold_counts_units_of_its_field_and_what_was_cut_off_is_left_out),
                                       LOOK(words_of_sentences_and_heads_are_views),
                                       LOOK(a_memory_of_the_newest_sentences_has_no_weight_on_the_others),
                                       LOOK(queries_of_one_field_look_at_another_or_at_their_own),
                                       LOOK(a_model_says_how_wide_its_picture_is),
                                       LOOK(steps_over_slots_belong_to_no_field),
                                       LOOK(weights_that_do_not_fit_their_axes_are_our_own_mistake)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
