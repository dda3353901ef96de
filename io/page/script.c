/* script.c - properties of characters, from ICU. */
#include "io/page/script.h"

#include <string.h>
#include <unicode/uchar.h>

#include "comm/utf8.h"

uint32_t script_point(const char *text, size_t n, size_t *size)
{
    *size = utf8_length(text, n);
    if (*size > 0) return utf8_point(text, *size);
    *size = n > 0;
    return 0xfffd;
}

bool script_is_wide(uint32_t c)
{
    const int width = u_getIntPropertyValue((UChar32)c, UCHAR_EAST_ASIAN_WIDTH);
    return width == U_EA_WIDE || width == U_EA_FULLWIDTH;
}

bool script_is_right_to_left(const char *word, size_t n)
{
    for (size_t i = 0, size; i < n; i += size) {
        const UCharDirection d = u_charDirection((UChar32)script_point(word + i, n - i, &size));
        if (d == U_LEFT_TO_RIGHT) return false;
        if (d == U_RIGHT_TO_LEFT || d == U_RIGHT_TO_LEFT_ARABIC) return true;
    }
    return false;
}

bool script_is_vertical(const char *word, size_t n)
{
    for (size_t i = 0, size; i < n; i += size)
        if (!script_is_wide(script_point(word + i, n - i, &size))) return false;
    return n > 0;
}

static bool clings(const char *word, size_t n) /* to the word before it */
{
    return n == 1 && strchr(".,;:!?)]}%", word[0]) != NULL;
}

/* Hangul is wide but has spaces. */
static bool without_spaces(uint32_t c) { return script_is_wide(c) && !(c >= 0xac00 && c <= 0xd7ff); }

bool script_space_between(const char *before, size_t n_before, const char *word, size_t n)
{
    size_t at = n_before, size;
    if (n == 0 || n_before == 0 || clings(word, n)) return n_before > 0 && n > 0 && !clings(word, n);
    while (at > 0 && ((unsigned char)before[--at] & 0xc0) == 0x80) continue;
    return !(without_spaces(script_point(before + at, n_before - at, &size)) &&
             without_spaces(script_point(word, n, &size)));
}

static int64_t columns_of(uint32_t c)
{
    const int8_t kind = u_charType((UChar32)c);
    if (kind == U_NON_SPACING_MARK || kind == U_ENCLOSING_MARK || kind == U_FORMAT_CHAR) return 0;
    return script_is_wide(c) ? 2 : 1;
}

int64_t script_columns(const char *word, size_t n)
{
    int64_t columns = 0;
    for (size_t i = 0, size; i < n; i += size) columns += columns_of(script_point(word + i, n - i, &size));
    return columns;
}

size_t script_cut(const char *word, size_t n, int64_t columns)
{
    int64_t used = 0;
    for (size_t i = 0, size; i < n; i += size) {
        used += columns_of(script_point(word + i, n - i, &size));
        if (used > columns) return i;
    }
    return n;
}
