/* Fields are found by role, and those that do not go together are refused. */
#include "fields.h"
#include "io/batch/batch.h"

static const DataField pair[] = {
    {.name = "source", .role = ROLE_INPUT, .levels = 1},
    {.name = "target", .role = ROLE_TARGET, .levels = 1},
    {.name = "sure", .role = ROLE_GOLD, .of = "source", .levels = 1, .unit = 1, .links = true},
    {.name = "possible", .role = ROLE_GOLD, .of = "source", .levels = 1, .unit = 1, .links = true, .possible = true},
    {.name = "source_chars", .role = ROLE_SPELLING, .of = "source", .levels = 2},
    {.name = "target_chars", .role = ROLE_SPELLING, .of = "target", .levels = 2},
};
enum { PAIR = sizeof pair / sizeof *pair };

TEST(fields_are_found_by_role)
{
    int which;
    assert_null(field_fault(PAIR, pair, &which));
    assert_int_equal(field_role(PAIR, pair, ROLE_TARGET), 1);
    assert_int_equal(field_role(PAIR, pair, ROLE_QUERY), -1);
    assert_int_equal(field_role_of(PAIR, pair, ROLE_SPELLING, ROLE_INPUT), 4);
    assert_int_equal(field_role_of(PAIR, pair, ROLE_SPELLING, ROLE_TARGET), 5);
    assert_int_equal(field_role_of(PAIR, pair, ROLE_SPELLING, ROLE_QUERY), -1);
    assert_int_equal(field_role_of(PAIR, pair, ROLE_MARKS, ROLE_INPUT), -1);
    assert_int_equal(field_named(PAIR, pair, "possible"), 3);
    for (int r = ROLE_NONE + 1; r < ROLES; r++) assert_int_equal(field_role_find(field_role_name((Role)r)), r);
    assert_int_equal(field_role_find("entry"), ROLE_NONE);
    assert_int_equal(field_role_find(""), ROLE_NONE);
}

TEST(a_batch_finds_what_it_holds)
{
    Batch b = {.n_fields = PAIR};
    for (int i = 0; i < PAIR; i++) b.field[i].field = &pair[PAIR - 1 - i]; /* the order says nothing */
    assert_ptr_equal(batch_role(&b, ROLE_INPUT)->field, &pair[0]);
    assert_ptr_equal(batch_role_of(&b, ROLE_SPELLING, ROLE_INPUT)->field, &pair[4]);
    assert_ptr_equal(batch_role_of(&b, ROLE_SPELLING, ROLE_TARGET)->field, &pair[5]);
    assert_ptr_equal(batch_links(&b, false)->field, &pair[2]);
    assert_ptr_equal(batch_links(&b, true)->field, &pair[3]);
    assert_null(batch_gold(&b, ROLE_INPUT, 1)); /* links are no units */
    assert_null(batch_role_of(&b, ROLE_SPELLING, ROLE_QUERY));
    const DataField words = {.name = "key_word", .role = ROLE_GOLD, .of = "text", .levels = 1, .unit = 2};
    const DataField sentences = {.name = "key_sentence", .role = ROLE_GOLD, .of = "text", .levels = 1, .unit = 1};
    Batch d = {.n_fields = 3};
    d.field[0].field = &words;
    d.field[1].field = test_field_of("text");
    d.field[2].field = &sentences;
    assert_ptr_equal(batch_gold(&d, ROLE_INPUT, 1)->field, &sentences);
    assert_ptr_equal(batch_gold(&d, ROLE_INPUT, 2)->field, &words);
    assert_null(batch_gold(&d, ROLE_TARGET, 1));
    assert_null(batch_links(&d, false));
}

/* A pair whose field `at` is another. */
static void refused(int at, DataField other, int n, const char *fault)
{
    DataField f[PAIR];
    int which;
    memcpy(f, pair, sizeof f);
    f[at] = other;
    const char *said = field_fault(n, f, &which);
    CHECK(said && strcmp(said, fault) == 0, "%s", said ? said : "no fault");
    CHECK(which == at, "field %d", which);
}

TEST(fields_that_do_not_go_together_are_refused)
{
    refused(0, (DataField){.name = "source", .levels = 1}, 1, "it has no role");
    refused(1, (DataField){.name = "x", .role = ROLE_INPUT}, 2, "another field has this role already");
    refused(1, (DataField){.name = "x", .role = ROLE_TARGET, .of = "source"}, 2, "this role belongs to no other field");
    refused(1, (DataField){.name = "x", .role = ROLE_TARGET, .width = 2}, 2,
            "floats have a width of at least 1, ids have none");
    refused(1, (DataField){.name = "x", .role = ROLE_FEATURES, .type = FIELD_FLOATS}, 2,
            "floats have a width of at least 1, ids have none");
    refused(1, (DataField){.name = "x", .role = ROLE_FEATURES, .type = FIELD_FLOATS, .width = 1, .vocab = "w"}, 2,
            "floats have no vocabulary");
    refused(1, (DataField){.name = "x", .role = ROLE_TARGET, .unit = 1}, 2,
            "only gold has `unit`, `links` and `possible`");
    refused(4, (DataField){.name = "x", .role = ROLE_SPELLING, .of = "text", .levels = 2}, PAIR, "`of` names no field");
    refused(4, (DataField){.name = "x", .role = ROLE_SPELLING, .of = "source", .levels = 1}, PAIR,
            "a spelling has ids of one level more than the field whose words it spells");
    refused(4, (DataField){.name = "x", .role = ROLE_MARKS, .of = "source", .levels = 2}, PAIR,
            "marks have the levels of the field that they mark");
    refused(4, (DataField){.name = "x", .role = ROLE_MARKS, .of = "sure", .levels = 1}, PAIR,
            "`of` names a field that belongs to another one itself");
    refused(2, (DataField){.name = "x", .role = ROLE_GOLD, .of = "source", .levels = 1}, PAIR,
            "`unit` of gold is no level of the field `of`");
    refused(2, (DataField){.name = "x", .role = ROLE_GOLD, .of = "source", .levels = 1, .unit = 2}, PAIR,
            "`unit` of gold is no level of the field `of`");
    refused(2, (DataField){.name = "x", .role = ROLE_GOLD, .of = "source", .levels = 2, .unit = 1}, PAIR,
            "gold is a list of plain numbers, of level 1");
    refused(1, (DataField){.name = "x", .role = ROLE_GOLD, .of = "source", .levels = 1, .unit = 1, .links = true}, 2,
            "gold links need a field of role target");
}

TEST(marks_may_be_numbers_of_either_kind)
{
    int which;
    const DataField f[] = {
        {.name = "words", .role = ROLE_INPUT, .levels = 1},
        {.name = "flag", .role = ROLE_MARKS, .of = "words", .levels = 1},
        {.name = "far", .role = ROLE_MARKS, .of = "words", .levels = 1, .type = FIELD_FLOATS, .width = 3},
    };
    assert_null(field_fault(3, f, &which));
    assert_int_equal(field_bytes(&f[1]), 4);
    assert_int_equal(field_bytes(&f[2]), 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(fields_are_found_by_role), RUN(a_batch_finds_what_it_holds),
                                       RUN(fields_that_do_not_go_together_are_refused),
                                       RUN(marks_may_be_numbers_of_either_kind)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
