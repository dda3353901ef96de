/* encoding.c - ICU goes by way of UTF-16, which waits in the pivot between two pieces. */
#include "io/text/encoding.h"

#include <string.h>
#include <unicode/ucnv.h>

#include "io/text/utf16.h"

bool encoding_is_utf8(const char *name) { return !name || ucnv_compareNames(name, "utf-8") == 0; }

Status encoding_open(Encoding *e, const char *name)
{
    UErrorCode code = U_ZERO_ERROR;
    *e = (Encoding){.name = name};
    e->from = ucnv_open(name, &code);
    REQUIRE(U_SUCCESS(code) && name[0], ERR_CONFIG, "encoding %s is not known; utf-8, windows-1252 and utf-16 are",
            name);
    ucnv_setToUCallBack(e->from, UCNV_TO_U_CALLBACK_STOP, NULL, NULL, NULL, &code);
    e->to = ucnv_open("utf-8", &code);
    TRY(utf16_icu(code, "ucnv_open"));
    e->source = e->target = e->pivot;
    return OK;
}

Status encoding_convert(Encoding *e, const char *bytes, size_t n, bool last, Buffer *out)
{
    const char *at = bytes, *end = bytes + n;
    UErrorCode code;
    do {
        char piece[4096], *to = piece;
        code = U_ZERO_ERROR;
        ucnv_convertEx(e->to, e->from, &to, piece + sizeof piece, &at, end, e->pivot, &e->source, &e->target,
                       e->pivot + ENCODING_PIVOT, !e->begun, last, &code);
        e->begun = true;
        TRY(buffer_append(out, piece, (size_t)(to - piece)));
    } while (code == U_BUFFER_OVERFLOW_ERROR);
    REQUIRE(U_SUCCESS(code), ERR_DATA, "bytes that are not %s", e->name);
    return OK;
}

void encoding_close(Encoding *e)
{
    if (e->from) ucnv_close(e->from);
    if (e->to) ucnv_close(e->to);
    e->from = e->to = NULL;
}
