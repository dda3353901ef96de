/* What a user asks, as fields. */
#include "import_test.h"
#include "io/import/ask.h"
#include "io/import/document.h"
#include "io/import/pair.h"
#include "io/import/story.h"

static Status ask(const char *importer, int n, const DataField *fields, const char *text, const char *target,
                  Example *e)
{
    ImportAsk *a;
    CHECK_OK(import_ask_open(&a, &run, importer, n, fields, text_of(NULL, NULL)));
    const Record r = {text, strlen(text), "in.txt", 4}, t = {target, target ? strlen(target) : 0, "to.txt", 9};
    const Status st = import_ask(a, &r, target ? &t : NULL, &scratch, e);
    import_ask_close(a);
    return st;
}

static const DataField *pairs(PairKind kind, int *n)
{
    static DataField fields[BATCH_FIELDS];
    *n = pair_fields(kind, fields);
    return fields;
}

static Status ask_pair(const char *text, Example *e)
{
    int n;
    const DataField *fields = pairs((PairKind){.links = true}, &n);
    return ask("parallel", n, fields, text, NULL, e);
}

static const char *side(const Example *e, const char *name)
{
    int n;
    const DataField *fields = pairs((PairKind){.links = true}, &n);
    return field_text_of(fields, n, e, name);
}

TEST(a_pair_is_a_source_or_json)
{
    Example e;
    CHECK_OK(ask_pair("A dog. Two!", &e));
    assert_string_equal(side(&e, "source"), "a dog . two !");
    assert_int_equal(e.field[PAIR_TARGET].count[1], 0);
    CHECK_OK(ask_pair("{\"source\": \"A dog\", \"target\": \"Ein Hund\"}", &e));
    assert_string_equal(side(&e, "source"), "a dog");
    assert_string_equal(side(&e, "target"), "ein hund");
    CHECK_OK(ask_pair(" {\"source\": \"A dog\"}", &e));
    assert_int_equal(e.field[PAIR_TARGET].count[1], 0);
    CHECK_OK(ask_pair("{ a brace", &e));
    assert_string_equal(side(&e, "source"), "{ a brace");
    CHECK_OK(ask_pair("", &e));
    assert_int_equal(e.field[PAIR_SOURCE].count[1], 0);
    CHECK_SAYS(ask_pair("{\"src\": 1}", &e), ERR_DATA,
               "in.txt:4: {\"source\": \"...\", \"target\": \"...\"} was expected, the target may be left out");
    CHECK_SAYS(ask_pair("{\"source\": \"a\", \"target\": 1}", &e), ERR_DATA,
               "in.txt:4: {\"source\": \"...\", \"target\": \"...\"} was expected, the target may be left out");
    static const char *const plain[] = {
        "{", "{}", "{ a", "{braces} are fine", "{\"quoted\" words}", "{ \" quoted \" }"};
    for (int i = 0; i < COUNT(plain); i++) {
        CHECK_OK(ask_pair(plain[i], &e));
        CHECK(e.field[PAIR_SOURCE].count[1] > 0, "%s", plain[i]);
    }
    CHECK_SAYS(ask_pair("{\"source\"", &e), ERR_DATA, "in.txt:4:9: ':' expected near end of file");
    CHECK_SAYS(ask_pair("a\xff", &e), ERR_DATA, "in.txt:4: not UTF-8 at byte 2");
}

static Status ask_story(const char *text, Example *e) { return ask("babi", STORY_FIELDS, story_fields, text, NULL, e); }

static Status ask_document(const char *text, Example *e)
{
    return ask("jsonl", DOCUMENT_FIELDS, document_fields, text, NULL, e);
}

TEST(a_document_is_text_or_json)
{
    Example e;
    const ImporterDef *def = import_find("jsonl");
    static const char *const plain[] = {"{", "{}", "{braces} are fine", "{ \" quoted \" } text", "  { x: 1 }"};
    for (int i = 0; i < COUNT(plain); i++) CHECK_OK(ask_document(plain[i], &e));
    CHECK_OK(ask_document("{\"id\": 18446744073709551616, \"text\": \"a\", \"x\": [1e400, -1E+999]}", &e));
    CHECK_SAYS(ask_document("{\"text\": 18446744073709551616}", &e), ERR_DATA,
               "in.txt:4: {\"text\": [\"...\", ...]} was expected");
    CHECK_OK(ask_document("Good film. Really!", &e));
    assert_string_equal(field_text(def, &e, "text"), "good film . / really !");
    assert_int_equal(e.field[1].count[0], 0);
    CHECK_OK(ask_document(" {\"text\": [\"Good film\", \"x y\"]}", &e));
    assert_string_equal(field_text(def, &e, "text"), "good film / x y");
    CHECK_SAYS(ask_document("  ", &e), ERR_DATA, "in.txt:4: a document without words");
    CHECK_SAYS(ask_document("{\"txt\": 1}", &e), ERR_DATA, "in.txt:4: {\"text\": [\"...\", ...]} was expected");
    CHECK_SAYS(ask_document("a\xff", &e), ERR_DATA, "in.txt:4: not UTF-8 at byte 2");
}

TEST(a_story_is_json_or_lines)
{
    Example e;
    const ImporterDef *def = import_find("stories");
    static const char *const same[] = {
        "{\"story\": [\"Anna walked to the Market.\", \"Omar sat.\"], \"question\": \"Where is Anna?\"}",
        "{\"question\": \"where is Anna\", \"story\": [\"Anna\\twalked to the market?\", \"Omar sat\"], \"id\": 3}",
        "1 Anna walked to the market.\n2 Omar sat.\n3 Where is Anna?",
        "1 Anna walked to the market.\n2 Omar sat.\n3 Where is Omar?\tmarket\t1\n4 Where is Anna?\tmarket\t1\n",
    };
    for (int i = 0; i < 4; i++) {
        CHECK_OK(ask_story(same[i], &e));
        assert_string_equal(field_text(def, &e, "story"), "anna walked to the market / omar sat");
        assert_string_equal(field_text(def, &e, "question"), "where is anna");
        assert_int_equal(e.field[STORY_ANSWER].count[0], 0);
        assert_int_equal(e.field[STORY_SUPPORT].count[1], 0);
        assert_int_equal(e.field[STORY_TASK].count[0], 0);
    }
}

TEST(faults_of_a_story_say_what_is_missing)
{
    Example e;
    CHECK_SAYS(ask_story("{\"story\": []}", &e), ERR_DATA,
               "in.txt:4: {\"story\": [\"...\", ...], \"question\": \"...\"} was expected");
    CHECK_SAYS(ask_story("{\"story\": [], \"question\": \"a\"}", &e), ERR_DATA, "in.txt:4: a story without sentences");
    CHECK_SAYS(ask_story("{\"story\": [\"a\", \" .\"], \"question\": \"a\"}", &e), ERR_DATA,
               "in.txt:4: sentence 2 of the story is not a string with words");
    CHECK_SAYS(ask_story("{\"story\": [\"a\", 1], \"question\": \"a\"}", &e), ERR_DATA,
               "in.txt:4: sentence 2 of the story is not a string with words");
    CHECK_SAYS(ask_story("{\"story\": [\"a\"], \"question\": \"?\"}", &e), ERR_DATA,
               "in.txt:4: a question without words");
    CHECK_SAYS(ask_story("{\"story\": [\"a\"", &e), ERR_DATA, "in.txt:4:14: ']' expected near end of file");
    CHECK_SAYS(ask_story("1 Where?", &e), ERR_DATA, "in.txt:4: a story without sentences before its question");
    CHECK_SAYS(ask_story("Where?", &e), ERR_DATA,
               "in.txt:4: a number and a space were expected before the sentence: \"Where?\"");
    CHECK_SAYS(ask_story("", &e), ERR_DATA, "in.txt:4: the story ends without a question");
}

TEST(a_target_may_come_apart)
{
    int n;
    Example e;
    const DataField *fields = pairs((PairKind){.characters = true}, &n);
    CHECK_OK(ask("parallel", n, fields, "A dog", "Ein H\xc3\xbcndchen", &e));
    assert_string_equal(field_text_of(fields, n, &e, "target"), "ein h\xc3\xbcndchen");
    assert_string_equal(field_text_of(fields, n, &e, "source_chars"), "a / d o g");
    assert_string_equal(field_text_of(fields, n, &e, "target_chars"), "e i n / h \xc3\xbc n d c h e n");
    CHECK_SAYS(ask("parallel", n, fields, "A dog", "a\xff", &e), ERR_DATA, "to.txt:9: not UTF-8 at byte 2");
    CHECK_SAYS(ask("jsonl", DOCUMENT_FIELDS, document_fields, "A dog", "Ein Hund", &e), ERR_CONFIG,
               "a target was given, but there is none that is a text");
    CHECK_SAYS(ask("babi", STORY_FIELDS, story_fields, "1 A.\n2 B?", "x", &e), ERR_CONFIG,
               "a target was given, but there is none that is a text");
}

/* Fields of a corpus that no importer made are asked by their names, levels and types. */
TEST(the_fields_say_how_they_are_asked)
{
    static const DataField fields[] = {
        {.name = "caption", .role = ROLE_TARGET, .vocab = "words", .levels = 1, .special = true},
        {.name = "regions", .role = ROLE_FEATURES, .levels = 1, .type = FIELD_FLOATS, .width = 2},
        {.name = "hint", .role = ROLE_QUERY, .vocab = "words", .levels = 1, .special = true},
        {.name = "near", .role = ROLE_MARKS, .of = "hint", .levels = 1},
        {.name = "kind", .role = ROLE_SECOND, .vocab = "kinds", .levels = 0},
    };
    enum { N = sizeof fields / sizeof *fields };
    const char *good = "{\"regions\": [[0.1, -2], [3e-40, 1e38], [0.0, -0.0]], \"hint\": [\"A\", \"Dog.\"], "
                       "\"near\": [1, -2], \"kind\": 7, \"other\": null}";
    const float value[] = {0.1F, -2, 3e-40F, 1e38F, 0, -0.0F};
    Example e;
    CHECK_OK(ask("", N, fields, good, NULL, &e));
    assert_int_equal(e.field[1].count[1], 3);
    assert_memory_equal(e.field[1].value, value, sizeof value);
    assert_string_equal(field_text_of(fields, N, &e, "hint"), "a dog.");
    assert_string_equal(field_text_of(fields, N, &e, "near"), "1 -2");
    assert_string_equal(field_text_of(fields, N, &e, "kind"), "7");
    assert_int_equal(e.field[0].count[0], 1);
    assert_int_equal(e.field[0].count[1], 0);
    static const char *const bad[][2] = {
        {"a dog", "{\"regions\": [[0.5, ...], ...], \"hint\": \"...\", \"near\": [0, ...], \"kind\": \"...\", "
                  "\"caption\": \"...\"} was expected, the caption may be left out"},
        {"{\"regions\": 1, \"hint\": \"a\", \"near\": [], \"kind\": \"x\"}",
         "\"regions\" is a whole number; a list of rows of numbers was expected"},
        {"{\"regions\": [], \"hint\": \"a\", \"near\": [], \"kind\": \"x\"}", "\"regions\" has no rows"},
        {"{\"regions\": [[1, 2], [3]], \"hint\": \"a\", \"near\": [], \"kind\": \"x\"}",
         "\"regions\": row 2 has 1 numbers, expected 2"},
        {"{\"regions\": [[1, \"2\"]], \"hint\": \"a\", \"near\": [], \"kind\": \"x\"}",
         "\"regions\": row 1: a string; a number was expected"},
        {"{\"regions\": [[1, 1e39]], \"hint\": \"a\", \"near\": [], \"kind\": \"x\"}",
         "\"regions\": row 1: 1e+39 is too large"},
        {"{\"regions\": [[1, 2]], \"hint\": [1], \"near\": [], \"kind\": \"x\"}",
         "\"hint\": a word must be a string, but one is a whole number"},
        {"{\"regions\": [[1, 2]], \"hint\": \"a\", \"near\": [1.5], \"kind\": \"x\"}",
         "\"near\" is a number with a fraction; a whole number was expected"},
        {"{\"regions\": [[1, 2]], \"hint\": \"a\", \"near\": [3000000000], \"kind\": \"x\"}",
         "\"near\": 3000000000 is too large"},
    };
    for (int i = 0; i < (int)(sizeof bad / sizeof *bad); i++) {
        char said[300];
        snprintf(said, sizeof said, "in.txt:4: %s", bad[i][1]);
        CHECK_SAYS(ask("", N, fields, bad[i][0], NULL, &e), ERR_DATA, said);
    }
}

/* A corpus that says it is of an importer, and has other fields. */
TEST(an_importer_reads_only_its_own_fields)
{
    static const DataField fields[] = {{.name = "tale", .role = ROLE_INPUT, .vocab = "words", .levels = 2}};
    Example e;
    CHECK_OK(ask("babi", 1, fields, "Anna sat. Omar ran.", NULL, &e));
    assert_string_equal(field_text_of(fields, 1, &e, "tale"), "anna sat . / omar ran .");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(a_pair_is_a_source_or_json),
        RUN(a_document_is_text_or_json),
        RUN(a_story_is_json_or_lines),
        RUN(faults_of_a_story_say_what_is_missing),
        RUN(a_target_may_come_apart),
        RUN(the_fields_say_how_they_are_asked),
        RUN(an_importer_reads_only_its_own_fields),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_close(&run);
    arena_close(&scratch);
    return failed;
}
