/* utf8.c - is this text UTF-8? And what does a character do to whatever shows it? */
#include "comm/utf8.h"

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

uint32_t utf8_point(const char *text, size_t n)
{
    const unsigned char *s = (const unsigned char *)text;
    uint32_t c = n == 1 ? s[0] : s[0] & (0xffU >> (n + 1));
    for (size_t i = 1; i < n; i++) c = c << 6 | (s[i] & 0x3f);
    return c;
}

bool utf8_acts(uint32_t c)
{
    if (c < 0xa0) return c < 0x20 || c >= 0x7f;
    const bool direction =
        c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
    return direction || c == 0x2028 || c == 0x2029 || c == 0xfeff || (c & 0xfffe) == 0xfffe;
}
