/* json_text.c - what Jansson cannot hold is taken out of the text before it reads it again. */
#include "io/import/json_text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comm/buffer.h"
#include "io/text/check.h"

static size_t pass_blanks(const char *text, size_t size, size_t i)
{
    while (i < size && strchr(" \t\r\n", text[i]) && text[i]) i++;
    return i;
}

/* The place behind the string that begins at i. */
static size_t pass_string(const char *text, size_t size, size_t i)
{
    for (i++; i < size && text[i] != '"'; i++) i += text[i] == '\\';
    return i + 1;
}

bool json_text_begins(const char *text, size_t size)
{
    size_t i = pass_blanks(text, size, 0);
    if (i >= size || text[i] != '{') return false;
    i = pass_blanks(text, size, i + 1);
    if (i >= size || text[i] != '"') return false;
    i = pass_blanks(text, size, pass_string(text, size, i));
    return i >= size || text[i] == ':'; /* cut before the colon it is JSON with a fault, and no text */
}

static bool too_large(const char *number)
{
    const bool real = strpbrk(number, ".eE") != NULL;
    errno = 0;
    if (real) return isinf(strtod(number, NULL));
    (void)strtoll(number, NULL, 10);
    return errno == ERANGE;
}

/* Numbers that Jansson refuses have five characters at least: null takes the place of each, in as many. */
static void blank_numbers(char *text, size_t size)
{
    for (size_t i = 0; i < size;) {
        if (text[i] == '"') {
            i = pass_string(text, size, i);
            continue;
        }
        const size_t n = strspn(text + i, "+-.0123456789eE");
        const char after = text[i + n];
        const bool number = n > 4 && strchr("-0123456789", text[i]);
        if (number) {
            text[i + n] = '\0';
            const bool large = too_large(text + i);
            text[i + n] = after;
            if (large) memcpy(memset(text + i, ' ', n), "null", 4);
        }
        i += n ? n : 1;
    }
}

static _Thread_local bool large_number;

bool json_text_large(void) { return large_number; }

json_t *json_text_try(const Record *r, json_error_t *error)
{
    enum { FLAGS = JSON_REJECT_DUPLICATES | JSON_DECODE_ANY };
    json_error_t own = {0};
    json_error_t *e = error ? error : &own;
    json_t *out = json_loadb(r->text, r->size, FLAGS, e);
    large_number = !out && json_error_code(e) == json_error_numeric_overflow;
    if (!large_number) return out;
    Buffer copy = {0};
    if (buffer_append(&copy, r->text, r->size) == OK) {
        blank_numbers(copy.data, copy.size);
        out = json_loadb(copy.data, copy.size, FLAGS, e);
    }
    buffer_close(&copy);
    return out;
}

Status json_text_load(const Record *r, json_t **out)
{
    json_error_t error;
    TRY(text_require(r->text, r->size, r->file, r->line));
    *out = json_text_try(r, &error);
    REQUIRE(*out, ERR_DATA, "%s:%" PRId64 ":%d: %s", r->file, r->line, error.column, error.text);
    return OK;
}
