/* linefile.h - all lines of a text, in memory: files that belong together line by line.
 *
 * Line i of one file belongs to line i of another, so blank lines stay. Each line is UTF-8 without 0 bytes, without its
 * end (line.h). */
#ifndef IO_TEXT_LINEFILE_H
#define IO_TEXT_LINEFILE_H
#include "io/text/segment.h"

typedef struct LineFile {
    const char *name; /* as messages should say it */
    int64_t n;
    Word *line; /* (n) */
} LineFile;

/* "-": the standard input. gzip and xz are unpacked. ERR_DATA when there is no line at all. */
NODISCARD Status linefile_read(LineFile *out, const char *path, Arena *arena);
/* ERR_DATA, with the first line that has no counterpart, unless both have the same number of lines. */
NODISCARD Status linefile_same(const LineFile *a, const LineFile *b);
int64_t linefile_words(Word line); /* between spaces and tabs */

#endif
