/* json_fields.c - Jansson reads, strictly: no duplicate keys, no 0 bytes, no bytes that are not UTF-8. */
#include "io/import/json_fields.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "comm/utf8.h"
#include "io/text/check.h"

Status json_open(JsonTools *t, Arena *run, const TextSettings *settings)
{
    *t = (JsonTools){0};
    TextSettings by_line = *settings;
    by_line.sentences = TEXT_SENTENCES_LINE;
    TextSettings by_space = by_line;
    by_space.words = TEXT_WORDS_SPACE;
    Status st = text_open(&t->free_text, run, settings);
    if (st == OK) st = text_open(&t->sentences, run, &by_line);
    if (st == OK) st = text_open(&t->words, run, &by_space);
    TextSettings one = *settings;
    one.sentences = TEXT_SENTENCES_NONE;
    if (st == OK) st = text_open(&t->sentence, run, &one);
    if (st != OK) json_close(t);
    return st;
}

void json_close(JsonTools *t)
{
    text_close(t->free_text);
    text_close(t->sentences);
    text_close(t->words);
    text_close(t->sentence);
    buffer_close(&t->joined);
    buffer_close(&t->label);
    *t = (JsonTools){0};
}

static const char *kind_of(const json_t *v)
{
    switch (json_typeof(v)) {
    case JSON_OBJECT: return "an object";
    case JSON_ARRAY: return "a list";
    case JSON_STRING: return "a string";
    case JSON_INTEGER: return "a whole number";
    case JSON_REAL: return "a number with a fraction";
    case JSON_NULL: return json_text_large() ? "a number that does not fit, or null" : "null";
    default: return "true or false";
    }
}

/* A string on one line, followed by `after`. */
static Status join(JsonTools *t, const json_t *string, char after)
{
    const size_t at = t->joined.size;
    TRY(buffer_append(&t->joined, json_string_value(string), json_string_length(string)));
    for (size_t i = at; i < t->joined.size; i++)
        if (t->joined.data[i] == '\n') t->joined.data[i] = ' ';
    return buffer_append(&t->joined, &after, 1);
}

static Status join_words(JsonTools *t, const Record *r, const char *key, const json_t *words)
{
    for (size_t i = 0; i < json_array_size(words); i++) {
        const json_t *word = json_array_get(words, i);
        REQUIRE(json_is_string(word), ERR_DATA, "%s:%" PRId64 ": \"%s\": a word must be a string, but one is %s",
                r->file, r->line, key, kind_of(word));
        TRY(join(t, word, ' '));
    }
    return buffer_append(&t->joined, "\n", 1);
}

static Status join_list(JsonTools *t, const Record *r, const char *key, const json_t *list, bool *by_words)
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

static Status take_text(JsonTools *t, const Record *r, const char *key, const json_t *value, Arena *scratch,
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

static Status take_label(JsonTools *t, const Record *r, const char *key, const json_t *value, Word *out)
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

/* --- Fields --- */

static Status wrong(const Record *r, const JsonKey *k, const json_t *v, const char *wanted)
{
    FAIL(ERR_DATA, "%s:%" PRId64 ": \"%s\" is %s; %s was expected", r->file, r->line, k->key, kind_of(v), wanted);
}

static Status take_words(JsonTools *t, const Record *r, const JsonKey *k, const json_t *v, Arena *scratch,
                         ExampleField *out)
{
    TextWords words;
    if (json_is_string(v)) {
        TRY(text_split(t->sentence, json_string_value(v), json_string_length(v), scratch, &words));
    } else {
        if (!json_is_array(v)) return wrong(r, k, v, "a string or a list of words");
        t->joined.size = 0;
        TRY(join_words(t, r, k->key, v));
        TRY(text_split(t->words, t->joined.data, t->joined.size, scratch, &words));
    }
    return example_words(out, scratch, &words);
}

static Status take_sentences(JsonTools *t, const Record *r, const JsonKey *k, const json_t *v, Arena *scratch,
                             ExampleField *out)
{
    TextWords words;
    TRY(take_text(t, r, k->key, v, scratch, &words));
    return example_sentences(out, scratch, &words);
}

static Status take_number(const Record *r, const JsonKey *k, const json_t *v, int32_t *out)
{
    if (!json_is_integer(v)) return wrong(r, k, v, "a whole number");
    const json_int_t n = json_integer_value(v);
    REQUIRE(n >= INT32_MIN && n <= INT32_MAX, ERR_DATA, "%s:%" PRId64 ": \"%s\": %" JSON_INTEGER_FORMAT " is too large",
            r->file, r->line, k->key, n);
    *out = (int32_t)n;
    return OK;
}

static Status take_numbers(const Record *r, const JsonKey *k, const json_t *v, Arena *scratch, ExampleField *out)
{
    int32_t *number;
    if (!json_is_array(v)) return wrong(r, k, v, "a list of whole numbers");
    const int64_t n = (int64_t)json_array_size(v);
    TRY_NEW(number, scratch, n);
    for (int64_t i = 0; i < n; i++) TRY(take_number(r, k, json_array_get(v, (size_t)i), &number[i]));
    return example_numbers(out, scratch, n, number);
}

static Status take_row(const Record *r, const JsonKey *k, int64_t i, const json_t *row, float *out)
{
    const int64_t width = k->field->width;
    if (!json_is_array(row)) return wrong(r, k, row, "a list of rows of numbers");
    REQUIRE((int64_t)json_array_size(row) == width, ERR_DATA,
            "%s:%" PRId64 ": \"%s\": row %" PRId64 " has %zu numbers, expected %" PRId64, r->file, r->line, k->key,
            i + 1, json_array_size(row), width);
    for (int64_t c = 0; c < width; c++) {
        const json_t *v = json_array_get(row, (size_t)c);
        REQUIRE(json_is_number(v), ERR_DATA, "%s:%" PRId64 ": \"%s\": row %" PRId64 ": %s; a number was expected",
                r->file, r->line, k->key, i + 1, kind_of(v));
        out[c] = (float)json_number_value(v);
        REQUIRE(isfinite(out[c]), ERR_DATA, "%s:%" PRId64 ": \"%s\": row %" PRId64 ": %g is too large", r->file,
                r->line, k->key, i + 1, json_number_value(v));
    }
    return OK;
}

static Status take_rows(const Record *r, const JsonKey *k, const json_t *v, Arena *scratch, ExampleField *out)
{
    float *value;
    if (!json_is_array(v)) return wrong(r, k, v, "a list of rows of numbers");
    const int64_t n = (int64_t)json_array_size(v), width = k->field->width;
    REQUIRE(n > 0, ERR_DATA, "%s:%" PRId64 ": \"%s\" has no rows", r->file, r->line, k->key);
    TRY_NEW(value, scratch, n * width);
    for (int64_t i = 0; i < n; i++) TRY(take_row(r, k, i, json_array_get(v, (size_t)i), value + i * width));
    return example_rows(out, scratch, n, value);
}

static Status take_field(JsonTools *t, const Record *r, const JsonKey *k, const json_t *v, Arena *scratch,
                         ExampleField *out)
{
    const DataField *f = k->field;
    if (f->type == FIELD_FLOATS && f->levels == 1) return take_rows(r, k, v, scratch, out);
    if (f->vocab[0] && f->levels == 2) return take_sentences(t, r, k, v, scratch, out);
    if (f->vocab[0] && f->levels == 1) return take_words(t, r, k, v, scratch, out);
    if (f->vocab[0] && f->levels == 0) {
        Word name;
        TRY(take_label(t, r, k->key, v, &name));
        REQUIRE(name.size > 0, ERR_DATA, "%s:%" PRId64 ": \"%s\" is empty", r->file, r->line, k->key);
        REQUIRE(name.size <= TEXT_WORD_BYTES, ERR_DATA, "%s:%" PRId64 ": \"%s\" has %zu bytes; at most %d are possible",
                r->file, r->line, k->key, name.size, TEXT_WORD_BYTES);
        return example_word(out, scratch, name.text, name.size);
    }
    if (f->type == FIELD_IDS && f->levels == 1) return take_numbers(r, k, v, scratch, out);
    int32_t number;
    REQUIRE(f->type == FIELD_IDS && f->levels == 0, ERR_CONFIG, "field %s: values of %d levels cannot be given as JSON",
            f->name, f->levels);
    TRY(take_number(r, k, v, &number));
    return example_number(out, scratch, number);
}

static Status take_fields(JsonTools *t, const Record *r, const json_t *object, int n, const JsonKey *key,
                          Arena *scratch, Example *out)
{
    for (int i = 0; i < n; i++) {
        const JsonKey *k = &key[i];
        const json_t *v = json_object_get(object, k->key);
        ExampleField *f = &out->field[k->at];
        REQUIRE(v || k->optional, ERR_DATA, "%s:%" PRId64 ": the key \"%s\" is missing", r->file, r->line, k->key);
        if (v)
            TRY(take_field(t, r, k, v, scratch, f));
        else if (k->field->vocab[0] && k->field->levels == 1)
            TRY(example_words(f, scratch, &(TextWords){0}));
    }
    return OK;
}

/* --- The object --- */

static Status load(const Record *r, json_t **out)
{
    TRY(json_text_load(r, out));
    const bool object = json_is_object(*out);
    const char *kind = kind_of(*out);
    if (!object) json_decref(*out);
    REQUIRE(object, ERR_DATA, "%s:%" PRId64 ": %s; an object was expected", r->file, r->line, kind);
    return OK;
}

Status json_label(JsonTools *t, const Record *r, const char *key, Word *label)
{
    *label = (Word){0};
    json_t *object = utf8_check(r->text, r->size) == r->size ? json_text_try(r, NULL) : NULL;
    const json_t *value = object ? json_object_get(object, key) : NULL;
    Status st = OK;
    if (json_is_string(value) || json_is_integer(value)) st = take_label(t, r, key, value, label);
    json_decref(object);
    return st;
}

/* Whether the object has what must be there, and texts where texts belong. */
static bool fits_all(const json_t *object, int n, const JsonKey *key)
{
    for (int i = 0; i < n; i++) {
        const json_t *v = json_object_get(object, key[i].key);
        const bool text = key[i].field->vocab[0] && key[i].field->levels > 0;
        if (v ? text && !json_is_string(v) && !json_is_array(v) : !key[i].optional) return false;
    }
    return true;
}

Status json_parse(JsonTools *t, const Record *r, int n, const JsonKey *key, Arena *scratch, Example *out, bool *fits)
{
    json_t *object;
    TRY(load(r, &object));
    if (fits) *fits = fits_all(object, n, key);
    const Status st = !fits || *fits ? take_fields(t, r, object, n, key, scratch, out) : OK;
    json_decref(object);
    return st;
}

static Status take(JsonTools *t, const Record *r, const char *text_key, const char *label_key, const json_t *object,
                   Arena *scratch, TextWords *text, Word *label)
{
    const json_t *value = json_object_get(object, text_key);
    REQUIRE(value, ERR_DATA, "%s:%" PRId64 ": the key \"%s\" is missing", r->file, r->line, text_key);
    TRY(take_text(t, r, text_key, value, scratch, text));
    if (!label_key) return OK;
    value = json_object_get(object, label_key);
    REQUIRE(value, ERR_DATA, "%s:%" PRId64 ": the key \"%s\" is missing", r->file, r->line, label_key);
    return take_label(t, r, label_key, value, label);
}

Status json_text_parse(JsonTools *t, const Record *r, const char *text_key, const char *label_key, Arena *scratch,
                       TextWords *text, Word *label)
{
    json_t *object;
    TRY(load(r, &object));
    const Status st = take(t, r, text_key, label_key, object, scratch, text, label);
    json_decref(object);
    return st;
}
