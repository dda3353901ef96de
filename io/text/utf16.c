/* utf16.c - decode and normalise. */
#include "io/text/utf16.h"

#include <unicode/unorm2.h>
#include <unicode/ustring.h>

static const int64_t TEXT_MAX = (int64_t)1 << 28; /* bytes of one text; ICU counts with 32 bits */

Status utf16_icu(int code, const char *call)
{
    const UErrorCode error = (UErrorCode)code;
    REQUIRE(U_SUCCESS(error), error == U_MEMORY_ALLOCATION_ERROR ? ERR_HOST : ERR_INTERNAL, "ICU: %s: %s", call,
            u_errorName(error));
    return OK;
}

void utf16_close(Utf16 *u)
{
    buffer_close(&u->raw);
    buffer_close(&u->normal);
}

enum { ZERO_WIDTH_SPACE = 0x200b, WORD_JOINER = 0x2060, BYTE_ORDER_MARK = 0xfeff };

static bool is_control(UChar c) { return (c < 0x20 && c != '\n') || (c >= 0x7f && c < 0xa0) || c == ZERO_WIDTH_SPACE; }

/* Characters that only say where a line may break, and byte order marks, would make words that look the same differ. */
static void blank_out(Utf16 *u)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < u->n; i++) {
        const UChar c = u->unit[i];
        if (c != WORD_JOINER && c != BYTE_ORDER_MARK) u->unit[kept++] = is_control(c) ? ' ' : c;
    }
    u->n = kept;
}

static Status normalise(Utf16 *u, Utf16Form form)
{
    UErrorCode code = U_ZERO_ERROR;
    const UNormalizer2 *normal = form == UTF16_NFC ? unorm2_getNFCInstance(&code) : unorm2_getNFKCInstance(&code);
    TRY(utf16_icu(code, "unorm2_getInstance"));
    const int32_t done = unorm2_spanQuickCheckYes(normal, u->unit, u->n, &code);
    TRY(utf16_icu(code, "unorm2_spanQuickCheckYes"));
    if (done == u->n) return OK;
    int32_t room = u->n + u->n / 4 + 16;
    for (int attempt = 0;; attempt++) {
        TRY(buffer_reserve(&u->normal, (size_t)room * sizeof(UChar)));
        const int32_t n = unorm2_normalize(normal, u->unit, u->n, (UChar *)(void *)u->normal.data, room, &code);
        if (code != U_BUFFER_OVERFLOW_ERROR || attempt > 0) {
            TRY(utf16_icu(code, "unorm2_normalize"));
            u->n = n;
            break;
        }
        code = U_ZERO_ERROR;
        room = n + 1;
    }
    u->unit = (UChar *)(void *)u->normal.data;
    return OK;
}

Status utf16_decode(Utf16 *u, const char *bytes, size_t size, Utf16Form form)
{
    REQUIRE(size <= (size_t)TEXT_MAX, ERR_DATA, "one text of %zu bytes; at most %lld are possible", size,
            (long long)TEXT_MAX);
    TRY(buffer_reserve(&u->raw, (size + 1) * sizeof(UChar)));
    u->unit = (UChar *)(void *)u->raw.data;
    UErrorCode code = U_ZERO_ERROR;
    u_strFromUTF8(u->unit, (int32_t)size + 1, &u->n, bytes, (int32_t)size, &code);
    TRY(utf16_icu(code, "u_strFromUTF8"));
    blank_out(u);
    return form == UTF16_NONE ? OK : normalise(u, form);
}

void utf16_unwrap(Utf16 *u)
{
    enum { PARAGRAPH_END = 0x2029 };
    for (int32_t i = 0; i < u->n;) {
        if (u->unit[i] != '\n') {
            i++;
            continue;
        }
        const int32_t first = i;
        int ends = 0;
        for (; i < u->n && (u->unit[i] == '\n' || u->unit[i] == ' '); i++) {
            ends += u->unit[i] == '\n';
            u->unit[i] = ' ';
        }
        if (ends > 1) u->unit[first] = PARAGRAPH_END;
    }
}
