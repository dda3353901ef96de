/* utf8.h - is this text UTF-8? Strict: no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef COMM_UTF8_H
#define COMM_UTF8_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the character at text (1 to 4), or 0 when it is not valid or size is 0. */
size_t utf8_length(const char *text, size_t size);
/* Offset of the first byte that does not begin a valid character; size when all is valid. */
size_t utf8_check(const char *text, size_t size);
/* The code point of a valid character of n bytes. */
uint32_t utf8_point(const char *text, size_t n);
/* A character that acts instead of being seen: controls (C0, DEL, C1), marks and embeddings of direction, line ends of
 * Unicode, the byte order mark, non-characters. Joiners, which words are written with, are none. */
bool utf8_acts(uint32_t point);

#endif
