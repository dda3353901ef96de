/* check.c - the check of all text that comes in. */
#include "io/text/check.h"

#include <inttypes.h>
#include <string.h>

#include "comm/utf8.h"

Status text_require(const char *bytes, size_t size, const char *file, int64_t line)
{
    size_t good = utf8_check(bytes, size);
    const char *zero = good ? memchr(bytes, 0, good) : NULL;
    if (zero) good = (size_t)(zero - bytes);
    if (good == size) return OK;
    size_t column = 1;
    for (size_t i = 0; i < good; i++) {
        column = bytes[i] == '\n' ? 1 : column + 1;
        line += bytes[i] == '\n';
    }
    REQUIRE(!zero, ERR_DATA, "%s:%" PRId64 ": not text: a 0 byte at byte %zu", file, line, column);
    FAIL(ERR_DATA, "%s:%" PRId64 ": not UTF-8 at byte %zu", file, line, column);
}
