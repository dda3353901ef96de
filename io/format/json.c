/* json.c - JSON written into a Buffer. */
#include "io/format/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "comm/utf8.h"
#include "io/format/number.h"

Json json_begin(Buffer *out) { return (Json){.out = out}; }

static void put(Json *j, const char *bytes, size_t size)
{
    if (j->status == OK) j->status = buffer_append(j->out, bytes, size);
}

static void put_text(Json *j, const char *text) { put(j, text, strlen(text)); }

static Status misuse(const char *what) { FAIL(ERR_INTERNAL, "JSON: %s", what); }

static void expect(Json *j, bool good, const char *what)
{
    if (j->status == OK && !good) j->status = misuse(what);
}

/* The separator before a member of the innermost level. */
static void separate(Json *j)
{
    const uint64_t bit = (uint64_t)1 << j->depth;
    if (j->filled & bit) put_text(j, j->depth ? ", " : "\n");
    j->filled |= bit;
}

static void before_value(Json *j)
{
    const bool in_object = (j->objects >> j->depth) & 1;
    expect(j, in_object == j->keyed, "a value in an object needs a key before it");
    if (!in_object) separate(j);
    j->keyed = false;
}

static void open_level(Json *j, bool object)
{
    before_value(j);
    expect(j, j->depth < JSON_DEPTH, "nested too deep");
    if (j->status != OK) return;
    put_text(j, object ? "{" : "[");
    j->depth++;
    const uint64_t bit = (uint64_t)1 << j->depth;
    j->filled &= ~bit;
    j->objects = object ? j->objects | bit : j->objects & ~bit;
}

void json_open_object(Json *j) { open_level(j, true); }

void json_open_array(Json *j) { open_level(j, false); }

void json_end(Json *j)
{
    expect(j, j->depth > 0, "nothing is open");
    expect(j, !j->keyed, "a key without a value");
    if (j->status != OK) return;
    put_text(j, (j->objects >> j->depth) & 1 ? "}" : "]");
    j->depth--;
}

static void put_escape(Json *j, uint32_t c)
{
    static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
    const char *found = c > 0 && c < 0x80 ? strchr(from, (int)c) : NULL;
    if (found) {
        const char text[2] = {'\\', to[found - from]};
        put(j, text, 2);
    } else if (j->status == OK) {
        j->status = buffer_format(j->out, "\\u%04" PRIx32, c);
    }
}

/* What must be escaped, and what a terminal would obey. */
static bool must_escape(uint32_t c) { return c == '"' || c == '\\' || (c <= 0xffff && utf8_acts(c)); }

static void put_string(Json *j, const char *text, size_t size)
{
    put_text(j, "\"");
    size_t begin = 0, n; /* begin: of the run that stands as it is */
    for (size_t i = 0; i < size; i += n) {
        n = utf8_length(text + i, size - i);
        const uint32_t c = n > 0 ? utf8_point(text + i, n) : 0;
        if (n > 0 && !must_escape(c)) continue;
        put(j, text + begin, i - begin);
        if (n > 0)
            put_escape(j, c);
        else
            put_text(j, "\xef\xbf\xbd");
        n = n > 0 ? n : 1;
        begin = i + n;
    }
    put(j, text + begin, size - begin);
    put_text(j, "\"");
}

void json_key(Json *j, const char *key)
{
    expect(j, (j->objects >> j->depth) & 1 && !j->keyed, "a key belongs into an object, before a value");
    if (j->status != OK) return;
    separate(j);
    put_string(j, key, strlen(key));
    put_text(j, ": ");
    j->keyed = true;
}

void json_text_n(Json *j, const char *text, size_t size)
{
    before_value(j);
    put_string(j, text, size);
}

void json_text(Json *j, const char *text)
{
    if (text)
        json_text_n(j, text, strlen(text));
    else
        json_nil(j);
}

void json_number(Json *j, double v)
{
    char text[NUMBER_SIZE];
    before_value(j);
    put_text(j, isfinite(v) ? number_double(text, v) : "null");
}

void json_float(Json *j, float v)
{
    char text[NUMBER_SIZE];
    before_value(j);
    put_text(j, isfinite(v) ? number_float(text, v) : "null");
}

void json_int(Json *j, int64_t v)
{
    before_value(j);
    if (j->status == OK) j->status = buffer_format(j->out, "%" PRId64, v);
}

void json_bool(Json *j, bool v)
{
    before_value(j);
    put_text(j, v ? "true" : "false");
}

void json_nil(Json *j)
{
    before_value(j);
    put_text(j, "null");
}

void json_put_text(Json *j, const char *key, const char *text)
{
    json_key(j, key);
    json_text(j, text);
}

void json_put_number(Json *j, const char *key, double v)
{
    json_key(j, key);
    json_number(j, v);
}

void json_put_int(Json *j, const char *key, int64_t v)
{
    json_key(j, key);
    json_int(j, v);
}

void json_put_bool(Json *j, const char *key, bool v)
{
    json_key(j, key);
    json_bool(j, v);
}

Status json_finish(Json *j)
{
    expect(j, j->depth == 0 && !j->keyed, "not everything was closed");
    return j->status;
}
