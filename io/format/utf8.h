/* utf8.h - is this text UTF-8? Strict: no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef IO_FORMAT_UTF8_H
#define IO_FORMAT_UTF8_H
#include <stddef.h>

/* Bytes of the character at text (1 to 4), or 0 when it is not valid or size is 0. */
size_t utf8_length(const char *text, size_t size);
/* Offset of the first byte that does not begin a valid character; size when all is valid. */
size_t utf8_check(const char *text, size_t size);

#endif
