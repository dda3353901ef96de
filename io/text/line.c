/* line.c - ends of lines, and the characters that a line does not hold. */
#include "io/text/line.h"

#include <string.h>

enum { CARRIAGES = 8 }; /* before an LF, that are part of one end: bounds how far it looks */

bool line_find(const char *bytes, size_t n, bool last, size_t *size, size_t *next)
{
    *next = n;
    const char *feed = memchr(bytes, '\n', n);
    const char *carriage = memchr(bytes, '\r', feed ? (size_t)(feed - bytes) : n);
    *size = carriage ? (size_t)(carriage - bytes) : feed ? (size_t)(feed - bytes) : n;
    if (!carriage) {
        *next = *size + (feed != NULL);
        return feed != NULL;
    }
    size_t end = *size;
    while (end < n && end - *size < CARRIAGES && bytes[end] == '\r') end++;
    if (end == n && !last) return false; /* an LF may follow */
    *next = end < n && bytes[end] == '\n' ? end + 1 : *size + 1;
    return true;
}

size_t line_mend(char *bytes, size_t n)
{
    size_t kept = 0;
    for (size_t at = 0; at < n; at++) {
        const bool mark = n - at >= 3 && memcmp(bytes + at, "\xef\xbb\xbf", 3) == 0;
        if (mark)
            at += 2;
        else
            bytes[kept++] = bytes[at] == '\f' || bytes[at] == '\v' ? ' ' : bytes[at];
    }
    return kept;
}
