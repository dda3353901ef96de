/* character.c - decoding by ICU's macros, kinds by its property tables. */
#include "io/text/character.h"

#include <unicode/uchar.h>
#include <unicode/ustring.h>
#include <unicode/utf16.h>
#include <unicode/utf8.h>

#include "io/text/utf16.h"

static const size_t TEXT_MAX = (size_t)1 << 28; /* bytes; ICU counts with 32 bits */

static Status fits(size_t size)
{
    REQUIRE(size <= TEXT_MAX, ERR_DATA, "one text of %zu bytes; at most %zu are possible", size, TEXT_MAX);
    return OK;
}

static UChar32 next(const char *bytes, int32_t *at, int32_t size)
{
    UChar32 c;
    U8_NEXT((const uint8_t *)bytes, *at, size, c);
    return c < 0 ? CHARACTER_NONE : c;
}

Status character_decode(const char *bytes, size_t size, Arena *arena, Characters *out)
{
    TRY(fits(size));
    TRY_NEW(out->at, arena, (int64_t)size);
    out->n = 0;
    for (int32_t i = 0; i < (int32_t)size;) out->at[out->n++] = (uint32_t)next(bytes, &i, (int32_t)size);
    return OK;
}

/* ICU in two passes: the first says how long the result is. */
static Status lower(const UChar *from, int32_t n, Arena *arena, UChar **to, int32_t *length)
{
    UErrorCode code = U_ZERO_ERROR;
    *length = u_strToLower(NULL, 0, from, n, "", &code);
    if (code != U_BUFFER_OVERFLOW_ERROR) TRY(utf16_icu(code, "u_strToLower"));
    code = U_ZERO_ERROR;
    TRY_NEW(*to, arena, *length + 1);
    u_strToLower(*to, *length + 1, from, n, "", &code);
    return utf16_icu(code, "u_strToLower");
}

Status character_lower(const char *bytes, size_t size, Arena *arena, Characters *out)
{
    TRY(fits(size));
    UChar *unit, *low;
    int32_t n = 0, m = 0;
    TRY_NEW(unit, arena, (int64_t)size + 1); /* never more units than bytes */
    for (int32_t i = 0; i < (int32_t)size;) {
        const UChar32 c = next(bytes, &i, (int32_t)size);
        U16_APPEND_UNSAFE(unit, n, c);
    }
    TRY(lower(unit, n, arena, &low, &m));
    TRY_NEW(out->at, arena, m);
    out->n = 0;
    for (int32_t i = 0; i < m;) {
        UChar32 c;
        U16_NEXT(low, i, m, c);
        out->at[out->n++] = (uint32_t)c;
    }
    return OK;
}

bool character_space(uint32_t c) { return (c >= 0x1c && c <= 0x1f) || u_isUWhiteSpace((UChar32)c); }

static bool is_in(uint32_t c, uint32_t mask) { return (U_GET_GC_MASK((UChar32)c) & mask) != 0; }

bool character_punctuation(uint32_t c) { return is_in(c, U_GC_P_MASK); }

bool character_symbol(uint32_t c) { return is_in(c, U_GC_S_MASK); }

bool character_number(uint32_t c) { return is_in(c, U_GC_N_MASK); }

size_t character_trimmed(const char *bytes, size_t size)
{
    int32_t end = (int32_t)(size < TEXT_MAX ? size : TEXT_MAX);
    while (end > 0) {
        int32_t before = end;
        UChar32 c;
        U8_PREV((const uint8_t *)bytes, 0, before, c);
        if (c < 0 || !character_space((uint32_t)c)) break;
        end = before;
    }
    return (size_t)end;
}
