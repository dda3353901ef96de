/* utf8.c - is this text UTF-8? */
#include "io/format/utf8.h"

#include <stdint.h>
#include <string.h>

/* The second byte has a narrower range after some first bytes (Unicode standard, table 3-7). */
size_t utf8_length(const char *text, size_t size)
{
    if (size == 0) return 0;
    const unsigned char *s = (const unsigned char *)text, c = s[0];
    if (c < 0x80) return 1;
    const size_t n = c >= 0xc2 && c <= 0xdf ? 2 : c >= 0xe0 && c <= 0xef ? 3 : c >= 0xf0 && c <= 0xf4 ? 4 : 0;
    if (n == 0 || size < n) return 0;
    const unsigned char low = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80;
    const unsigned char high = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
    if (s[1] < low || s[1] > high) return 0;
    for (size_t i = 2; i < n; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    return n;
}

size_t utf8_check(const char *text, size_t size)
{
    size_t i = 0;
    while (i < size) {
        uint64_t eight; /* plain ASCII goes eight at a time */
        if (size - i >= sizeof eight) {
            memcpy(&eight, text + i, sizeof eight);
            if (!(eight & UINT64_C(0x8080808080808080))) {
                i += sizeof eight;
                continue;
            }
        }
        const size_t n = utf8_length(text + i, size - i);
        if (n == 0) break;
        i += n;
    }
    return i;
}
