/* test_query.c - what a user asks, as fields. */
#include "import_test.h"
#include "io/import/pair.h"
#include "io/import/query.h"
#include "io/import/story.h"

static Status ask_pair(const char *text, Example *e)
{
    Query *q;
    CHECK_OK(query_open(&q, &run, QUERY_PAIR, text_of(NULL, NULL)));
    const Record r = {text, strlen(text), "in.txt", 4};
    const Status st = query_parse(q, &r, &scratch, e);
    query_close(q);
    return st;
}

static const char *side(const Example *e, const char *name)
{
    const DataField *fields;
    const int n = pair_fields((PairKind){.links = false}, &fields);
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
    CHECK_SAYS(ask_pair("{\"source\"", &e), ERR_DATA, "in.txt:4:9: ':' expected near end of file");
    CHECK_SAYS(ask_pair("a\xff", &e), ERR_DATA, "in.txt:4: not UTF-8 at byte 2");
}

static Status ask(bool stories, const char *text, Example *e)
{
    Query *q;
    CHECK_OK(query_open(&q, &run, stories ? QUERY_STORY : QUERY_DOCUMENT, text_of(NULL, NULL)));
    const Record r = {text, strlen(text), "in.txt", 4};
    const Status st = query_parse(q, &r, &scratch, e);
    const DataField *fields;
    assert_int_equal(query_fields(q, &fields), stories ? STORY_FIELDS : 2);
    assert_string_equal(fields[0].name, stories ? "story" : "text");
    query_close(q);
    return st;
}

TEST(a_document_is_text_or_json)
{
    Example e;
    const ImporterDef *def = import_find("jsonl");
    CHECK_OK(ask(false, "Good film. Really!", &e));
    assert_string_equal(field_text(def, &e, "text"), "good film . / really !");
    assert_int_equal(e.field[1].count[0], 0);
    CHECK_OK(ask(false, " {\"text\": [\"Good film\", \"x y\"]}", &e));
    assert_string_equal(field_text(def, &e, "text"), "good film / x y");
    CHECK_SAYS(ask(false, "  ", &e), ERR_DATA, "in.txt:4: a document without words");
    CHECK_SAYS(ask(false, "{\"txt\": 1}", &e), ERR_DATA, "in.txt:4: the key \"text\" is missing");
    CHECK_SAYS(ask(false, "a\xff", &e), ERR_DATA, "in.txt:4: not UTF-8 at byte 2");
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
        CHECK_OK(ask(true, same[i], &e));
        assert_string_equal(field_text(def, &e, "story"), "anna walked to the market / omar sat");
        assert_string_equal(field_text(def, &e, "question"), "where is anna");
        assert_int_equal(e.field[STORY_ANSWER].count[0], 0);
        assert_int_equal(e.field[STORY_SUPPORT].count[1], 0);
        assert_int_equal(e.field[STORY_TASK].number[0], 0);
    }
}

TEST(faults_of_a_story_say_what_is_missing)
{
    Example e;
    CHECK_SAYS(ask(true, "{\"story\": []}", &e), ERR_DATA,
               "in.txt:4: {\"story\": [\"...\", ...], \"question\": \"...\"} was expected");
    CHECK_SAYS(ask(true, "{\"story\": [], \"question\": \"a\"}", &e), ERR_DATA, "in.txt:4: a story without sentences");
    CHECK_SAYS(ask(true, "{\"story\": [\"a\", \" .\"], \"question\": \"a\"}", &e), ERR_DATA,
               "in.txt:4: sentence 2 of the story is not a string with words");
    CHECK_SAYS(ask(true, "{\"story\": [\"a\", 1], \"question\": \"a\"}", &e), ERR_DATA,
               "in.txt:4: sentence 2 of the story is not a string with words");
    CHECK_SAYS(ask(true, "{\"story\": [\"a\"], \"question\": \"?\"}", &e), ERR_DATA,
               "in.txt:4: a question without words");
    CHECK_SAYS(ask(true, "{\"story\": [\"a\"", &e), ERR_DATA, "in.txt:4:14: ']' expected near end of file");
    CHECK_SAYS(ask(true, "1 Where?", &e), ERR_DATA, "in.txt:4: a story without sentences before its question");
    CHECK_SAYS(ask(true, "Where?", &e), ERR_DATA,
               "in.txt:4: a number and a space were expected before the sentence: \"Where?\"");
    CHECK_SAYS(ask(true, "", &e), ERR_DATA, "in.txt:4: the story ends without a question");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(a_pair_is_a_source_or_json),
        RUN(a_document_is_text_or_json),
        RUN(a_story_is_json_or_lines),
        RUN(faults_of_a_story_say_what_is_missing),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_close(&run);
    arena_close(&scratch);
    return failed;
}
