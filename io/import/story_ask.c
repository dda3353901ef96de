/* story_ask.c - a question about a story: {"story": ["...", ...], "question": "..."}, or lines in the bAbI format with
 * the question last, answered or not. */
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "io/import/json_text.h"
#include "io/import/story.h"

typedef struct StoryAsk {
    StoryParser parser;
    Buffer lines;
} StoryAsk;

static Status ask_open(void **state, Arena *run)
{
    StoryAsk *q;
    TRY_NEW(q, run, 1);
    *state = q;
    return story_open(&q->parser, run);
}

static void ask_close(void *state)
{
    StoryAsk *q = state;
    story_close(&q->parser);
    buffer_close(&q->lines);
}

/* One line of the bAbI format: the text must not end the line, nor look like a question that is answered. */
static Status put_line(StoryAsk *q, int64_t number, const json_t *text)
{
    TRY(buffer_format(&q->lines, "%" PRId64 " ", number));
    const size_t at = q->lines.size;
    TRY(buffer_append(&q->lines, json_string_value(text), json_string_length(text)));
    for (size_t i = at; i < q->lines.size; i++)
        if (strchr("\t\r\n", q->lines.data[i])) q->lines.data[i] = ' ';
    while (q->lines.size > at && strchr(" ?", q->lines.data[q->lines.size - 1])) q->lines.size--;
    return buffer_append(&q->lines, "\n", 1);
}

static bool has_words(const StoryAsk *q, const json_t *text)
{
    const char *bytes = json_string_value(text);
    size_t n = json_string_length(text);
    while (n > 0 && strchr(" .?", bytes[n - 1])) n--;
    return text_has_words(q->parser.words, bytes, n);
}

static Status story_lines(StoryAsk *q, const Record *r, const json_t *object)
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

static Status ask_parse(void *state, const Record *r, Arena *scratch, Example *out)
{
    StoryAsk *q = state;
    if (!json_text_begins(r->text, r->size)) return story_parse(&q->parser, r, 0, false, scratch, out);
    json_t *object;
    TRY(json_text_load(r, &object));
    const Status st = story_lines(q, r, object);
    json_decref(object);
    TRY(st);
    const Record lines = {q->lines.data, q->lines.size, r->file, r->line};
    return story_parse(&q->parser, &lines, 0, false, scratch, out);
}

const ImportAskDef story_ask = {.open = ask_open, .parse = ask_parse, .close = ask_close};
