/* utf16.h - text as ICU wants it: UTF-16 in a normal form, control characters and U+200B as spaces, without U+FEFF
 * and U+2060. For segment.[ch] alone. */
#ifndef IO_TEXT_UTF16_H
#define IO_TEXT_UTF16_H
#include "comm/arena.h"

typedef enum Utf16Form { UTF16_NFC, UTF16_NFKC, UTF16_NONE } Utf16Form;

typedef struct Utf16 {
    Buffer raw, normal; /* reused from text to text */
    uint16_t *unit;     /* the result, in one of them */
    int32_t n;
} Utf16;

NODISCARD Status utf16_decode(Utf16 *u, const char *bytes, size_t size, Utf16Form form);
/* Single line ends become spaces, as text is often wrapped; one of several on end becomes a paragraph's end. */
void utf16_unwrap(Utf16 *u);
void utf16_close(Utf16 *u);
NODISCARD Status utf16_icu(int code, const char *call); /* a Status from ICU's UErrorCode */

#endif
