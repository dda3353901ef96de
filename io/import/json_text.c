/* json_text.c - Jansson reads, strictly: no duplicate keys, no 0 bytes, no bytes that are not UTF-8. */
#include "io/import/json_text.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "io/text/check.h"

Status json_text_open(JsonTextTools *t, Arena *run, const TextSettings *settings)
{
    *t = (JsonTextTools){0};
    TextSettings by_line = *settings;
    by_line.sentences = TEXT_SENTENCES_LINE;
    TextSettings by_space = by_line;
    by_space.words = TEXT_WORDS_SPACE;
    Status st = text_open(&t->free_text, run, settings);
    if (st == OK) st = text_open(&t->sentences, run, &by_line);
    if (st == OK) st = text_open(&t->words, run, &by_space);
    if (st != OK) json_text_close(t);
    return st;
}

void json_text_close(JsonTextTools *t)
{
    text_close(t->free_text);
    text_close(t->sentences);
    text_close(t->words);
    buffer_close(&t->joined);
    buffer_close(&t->label);
    *t = (JsonTextTools){0};
}

static const char *kind_of(const json_t *v)
{
    switch (json_typeof(v)) {
    case JSON_OBJECT: return "an object";
    case JSON_ARRAY: return "a list";
    case JSON_STRING: return "a string";
    case JSON_INTEGER: return "a whole number";
    case JSON_REAL: return "a number with a fraction";
    case JSON_NULL: return "null";
    default: return "true or false";
    }
}

/* A string on one line, followed by `after`. */
static Status join(JsonTextTools *t, const json_t *string, char after)
{
    const size_t at = t->joined.size;
    TRY(buffer_append(&t->joined, json_string_value(string), json_string_length(string)));
    for (size_t i = at; i < t->joined.size; i++)
        if (t->joined.data[i] == '\n') t->joined.data[i] = ' ';
    return buffer_append(&t->joined, &after, 1);
}

static Status join_words(JsonTextTools *t, const Record *r, const char *key, const json_t *words)
{
    for (size_t i = 0; i < json_array_size(words); i++) {
        const json_t *word = json_array_get(words, i);
        REQUIRE(json_is_string(word), ERR_DATA, "%s:%" PRId64 ": \"%s\": a word must be a string, but one is %s",
                r->file, r->line, key, kind_of(word));
        TRY(join(t, word, ' '));
    }
    return buffer_append(&t->joined, "\n", 1);
}

static Status join_list(JsonTextTools *t, const Record *r, const char *key, const json_t *list, bool *by_words)
{
    t->joined.size = 0;
    *by_words = json_is_array(json_array_get(list, 0));
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        REQUIRE(*by_words ? json_is_array(item) : json_is_string(item), ERR_DATA,
                "%s:%" PRId64 ": \"%s\": sentences must all be strings or all be lists of words, but one is %s",
                r->file, r->line, key, kind_of(item));
        TRY(*by_words ? join_words(t, r, key, item) : join(t, item, '\n'));
    }
    return OK;
}

static Status take_text(JsonTextTools *t, const Record *r, const char *key, const json_t *value, Arena *scratch,
                        TextWords *out)
{
    if (json_is_string(value))
        return text_split(t->free_text, json_string_value(value), json_string_length(value), scratch, out);
    REQUIRE(json_is_array(value), ERR_DATA,
            "%s:%" PRId64 ": \"%s\" is %s; a string or a list of sentences was expected", r->file, r->line, key,
            kind_of(value));
    bool by_words;
    TRY(join_list(t, r, key, value, &by_words));
    return text_split(by_words ? t->words : t->sentences, t->joined.data ? t->joined.data : "", t->joined.size, scratch,
                      out);
}

static Status take_label(JsonTextTools *t, const Record *r, const char *key, const json_t *value, Word *out)
{
    t->label.size = 0;
    REQUIRE(json_is_string(value) || json_is_integer(value), ERR_DATA,
            "%s:%" PRId64 ": \"%s\" is %s; a string or a whole number was expected", r->file, r->line, key,
            kind_of(value));
    if (json_is_string(value))
        TRY(buffer_append(&t->label, json_string_value(value), json_string_length(value)));
    else
        TRY(buffer_format(&t->label, "%" JSON_INTEGER_FORMAT, json_integer_value(value)));
    *out = (Word){t->label.data, t->label.size};
    return OK;
}

static Status take(JsonTextTools *t, const Record *r, const char *text_key, const char *label_key, const json_t *object,
                   Arena *scratch, TextWords *text, Word *label)
{
    REQUIRE(json_is_object(object), ERR_DATA, "%s:%" PRId64 ": %s; an object was expected", r->file, r->line,
            kind_of(object));
    const json_t *value = json_object_get(object, text_key);
    REQUIRE(value, ERR_DATA, "%s:%" PRId64 ": the key \"%s\" is missing", r->file, r->line, text_key);
    TRY(take_text(t, r, text_key, value, scratch, text));
    if (!label_key) return OK;
    value = json_object_get(object, label_key);
    REQUIRE(value, ERR_DATA, "%s:%" PRId64 ": the key \"%s\" is missing", r->file, r->line, label_key);
    return take_label(t, r, label_key, value, label);
}

Status json_text_parse(JsonTextTools *t, const Record *r, const char *text_key, const char *label_key, Arena *scratch,
                       TextWords *text, Word *label)
{
    TRY(text_require(r->text, r->size, r->file, r->line));
    json_error_t error;
    json_t *object = json_loadb(r->text, r->size, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    REQUIRE(object, ERR_DATA, "%s:%" PRId64 ":%d: %s", r->file, r->line, error.column, error.text);
    const Status st = take(t, r, text_key, label_key, object, scratch, text, label);
    json_decref(object);
    return st;
}
