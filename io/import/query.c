/* query.c - text or JSON to fields without an answer. */
#include "io/import/query.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "io/import/document.h"
#include "io/import/example.h"
#include "io/import/json_text.h"
#include "io/import/pair.h"
#include "io/import/story.h"
#include "io/text/check.h"

struct Query {
    QueryKind kind;
    StoryParser story;
    TextTool *pair;
    JsonTextTools document;
    Buffer lines;
};

static Status open_pair(Query *q, Arena *run, const TextSettings *text)
{
    TextSettings one_sentence = *text;
    one_sentence.sentences = TEXT_SENTENCES_NONE;
    return text_open(&q->pair, run, &one_sentence);
}

Status query_open(Query **out, Arena *run, QueryKind kind, const TextSettings *text)
{
    Query *q;
    TRY_NEW(q, run, 1);
    q->kind = kind;
    switch (kind) {
    case QUERY_STORY: TRY(story_open(&q->story, run)); break;
    case QUERY_DOCUMENT: TRY(json_text_open(&q->document, run, text)); break;
    case QUERY_PAIR:
    case QUERY_SPELLED_PAIR: TRY(open_pair(q, run, text)); break;
    }
    *out = q;
    return OK;
}

void query_close(Query *q)
{
    if (!q) return;
    switch (q->kind) {
    case QUERY_STORY: story_close(&q->story); break;
    case QUERY_DOCUMENT: json_text_close(&q->document); break;
    case QUERY_PAIR:
    case QUERY_SPELLED_PAIR: text_close(q->pair); break;
    }
    buffer_close(&q->lines);
}

int query_fields(const Query *q, const DataField **fields)
{
    const PairKind kind = {.characters = q->kind == QUERY_SPELLED_PAIR};
    if (q->kind == QUERY_PAIR || kind.characters) return pair_fields(kind, fields);
    *fields = q->kind == QUERY_STORY ? story_fields : document_fields;
    return q->kind == QUERY_STORY ? STORY_FIELDS : DOCUMENT_FIELDS;
}

static bool is_json(const Record *r)
{
    size_t i = 0;
    while (i < r->size && strchr(" \t\r\n", r->text[i])) i++;
    return i < r->size && r->text[i] == '{';
}

static Status document(Query *q, const Record *r, Arena *scratch, Example *out)
{
    TextWords words;
    if (is_json(r))
        TRY(json_text_parse(&q->document, r, "text", NULL, scratch, &words, NULL));
    else
        TRY(text_split(q->document.free_text, r->text, r->size, scratch, &words));
    REQUIRE(words.words > 0, ERR_DATA, "%s:%" PRId64 ": a document without words", r->file, r->line);
    return example_sentences(&out->field[DOCUMENT_TEXT], scratch, &words);
}

/* One line of the bAbI format: the text must not end the line, nor look like a question that is answered. */
static Status put_line(Query *q, int64_t number, const json_t *text)
{
    TRY(buffer_format(&q->lines, "%" PRId64 " ", number));
    const size_t at = q->lines.size;
    TRY(buffer_append(&q->lines, json_string_value(text), json_string_length(text)));
    for (size_t i = at; i < q->lines.size; i++)
        if (strchr("\t\r\n", q->lines.data[i])) q->lines.data[i] = ' ';
    while (q->lines.size > at && strchr(" ?", q->lines.data[q->lines.size - 1])) q->lines.size--;
    return buffer_append(&q->lines, "\n", 1);
}

static bool has_words(const Query *q, const json_t *text)
{
    const char *bytes = json_string_value(text);
    size_t n = json_string_length(text);
    while (n > 0 && strchr(" .?", bytes[n - 1])) n--;
    return text_has_words(q->story.words, bytes, n);
}

static Status story_lines(Query *q, const Record *r, const json_t *object)
{
    const json_t *story = json_object_get(object, "story"), *question = json_object_get(object, "question");
    REQUIRE(json_is_array(story) && json_is_string(question), ERR_DATA,
            "%s:%" PRId64 ": {\"story\": [\"...\", ...], \"question\": \"...\"} was expected", r->file, r->line);
    const size_t n = json_array_size(story);
    REQUIRE(n > 0, ERR_DATA, "%s:%" PRId64 ": a story without sentences", r->file, r->line);
    q->lines.size = 0;
    for (size_t i = 0; i < n; i++) {
        const json_t *sentence = json_array_get(story, i);
        REQUIRE(json_is_string(sentence) && has_words(q, sentence), ERR_DATA,
                "%s:%" PRId64 ": sentence %zu of the story is not a string with words", r->file, r->line, i + 1);
        TRY(put_line(q, (int64_t)i + 1, sentence));
    }
    REQUIRE(has_words(q, question), ERR_DATA, "%s:%" PRId64 ": a question without words", r->file, r->line);
    return put_line(q, (int64_t)n + 1, question);
}

static Status story(Query *q, const Record *r, Arena *scratch, Example *out)
{
    if (!is_json(r)) return story_parse(&q->story, r, 0, false, scratch, out);
    json_error_t error;
    json_t *object = json_loadb(r->text, r->size, JSON_REJECT_DUPLICATES, &error);
    REQUIRE(object, ERR_DATA, "%s:%" PRId64 ":%d: %s", r->file, r->line, error.column, error.text);
    const Status st = story_lines(q, r, object);
    json_decref(object);
    TRY(st);
    const Record lines = {q->lines.data, q->lines.size, r->file, r->line};
    return story_parse(&q->story, &lines, 0, false, scratch, out);
}

/* One side of a pair; text NULL: it is not known, and has no words. */
static Status side(Query *q, int field, const char *text, size_t size, Arena *scratch, Example *out)
{
    TextWords words = {0};
    if (text) TRY(text_split(q->pair, text, size, scratch, &words));
    TRY(example_words(&out->field[field], scratch, &words));
    return q->kind == QUERY_SPELLED_PAIR ? pair_characters(&words, scratch, &out->field[field + 2]) : OK;
}

static Status pair_object(Query *q, const Record *r, const json_t *object, Arena *scratch, Example *out)
{
    const json_t *source = json_object_get(object, "source"), *target = json_object_get(object, "target");
    REQUIRE(json_is_string(source) && (!target || json_is_string(target)), ERR_DATA,
            "%s:%" PRId64 ": {\"source\": \"...\", \"target\": \"...\"} was expected, the target may be left out",
            r->file, r->line);
    TRY(side(q, PAIR_SOURCE, json_string_value(source), json_string_length(source), scratch, out));
    return side(q, PAIR_TARGET, target ? json_string_value(target) : NULL, json_string_length(target), scratch, out);
}

/* A line that begins with {" is JSON; a sentence may well begin with a brace. */
static Status pair(Query *q, const Record *r, Arena *scratch, Example *out)
{
    size_t i = 0;
    while (i < r->size && strchr(" \t", r->text[i])) i++;
    if (i + 1 >= r->size || r->text[i] != '{' || r->text[i + 1] != '"') {
        TRY(side(q, PAIR_SOURCE, r->text, r->size, scratch, out));
        return side(q, PAIR_TARGET, NULL, 0, scratch, out);
    }
    json_error_t error;
    json_t *object = json_loadb(r->text, r->size, JSON_REJECT_DUPLICATES, &error);
    REQUIRE(object, ERR_DATA, "%s:%" PRId64 ":%d: %s", r->file, r->line, error.column, error.text);
    const Status st = pair_object(q, r, object, scratch, out);
    json_decref(object);
    TRY(st);
    return OK;
}

Status query_parse(Query *q, const Record *r, Arena *scratch, Example *out)
{
    *out = (Example){0};
    TRY(text_require(r->text, r->size, r->file, r->line));
    switch (q->kind) {
    case QUERY_STORY: return story(q, r, scratch, out);
    case QUERY_PAIR:
    case QUERY_SPELLED_PAIR: return pair(q, r, scratch, out);
    default: return document(q, r, scratch, out);
    }
}

Status query_pair(Query *q, const Record *source, const Record *target, Arena *scratch, Example *out)
{
    TRY(query_parse(q, source, scratch, out));
    TRY(text_require(target->text, target->size, target->file, target->line));
    return side(q, PAIR_TARGET, target->text, target->size, scratch, out);
}
