/* lines.h - a text file line by line, gzip, xz or plain, in bounded memory.
 *
 * Lines are those of line.h. One comes without its end, with a 0 behind it, and is valid until the next call. What is
 * read may be a pipe. */
#ifndef IO_TEXT_LINES_H
#define IO_TEXT_LINES_H
#include "comm/arena.h"
#include "io/text/encoding.h"
#include "io/text/unpack.h"

typedef struct Lines {
    const char *path;     /* borrowed: must outlive the reader */
    Unpack file;          /* it must not move while it is open */
    const char *encoding; /* set before lines_open: a name that ICU knows; NULL: UTF-8 */
    Encoding from;        /* open where that is another one */
    Buffer raw;           /* what it reads */
    int64_t number;       /* of the line last read, from 1 */
    Buffer line;
    Buffer block; /* bytes read ahead, [at, block.size) still to come */
    size_t at;
    bool ended;
} Lines;

/* "-" is the standard input, which messages call by that name. ERR_INPUT when there is no such file, ERR_DATA when it
 * is empty, a folder, or packed by another program. l must be zeroed or closed. */
NODISCARD Status lines_open(Lines *l, const char *path);
/* For files that each rank reads, or that are read more than once: ERR_INPUT also when it is a pipe or a device. */
NODISCARD Status lines_open_regular(Lines *l, const char *path);
NODISCARD Status lines_next(Lines *l, const char **text, size_t *size, bool *end);
/* The bytes up to the stop byte, without it; and the next n bytes: for files that are text in part. ERR_DATA when the
 * file ends before. */
NODISCARD Status lines_until(Lines *l, char stop, size_t limit, const char **bytes, size_t *size);
NODISCARD Status lines_bytes(Lines *l, size_t n, const char **bytes);
/* All that is left, each line with an LF behind it, appended to out. */
NODISCARD Status lines_rest(Lines *l, Buffer *out);
void lines_close(Lines *l); /* keeps the buffers for the next file */
void lines_free(Lines *l);  /* closes, and gives the buffers back */

#endif
