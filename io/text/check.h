/* check.h - is this what a text may be? To be asked before anything else is done with what the user gave. */
#ifndef IO_TEXT_CHECK_H
#define IO_TEXT_CHECK_H
#include <stddef.h>
#include <stdint.h>

#include "comm/status.h"

/* UTF-8 without 0 bytes. The fault names the file, the line (line: that of the first byte; counted on from there) and
 * the byte within its line, from 1: "a.txt:3: not UTF-8 at byte 12". */
NODISCARD Status text_require(const char *bytes, size_t size, const char *file, int64_t line);

#endif
