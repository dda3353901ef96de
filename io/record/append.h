/* append.h - a file that only grows, record by record, and is cut back when a run resumes.
 *
 * A record is written whole by one call, or the file is cut back to what it was: readers never see half a record of
 * a run that goes on. What a killed run left behind its last whole record is cut off by append_open. */
#ifndef IO_RECORD_APPEND_H
#define IO_RECORD_APPEND_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "comm/status.h"

typedef struct AppendFile {
    int fd;          /* -1: closed */
    int64_t size;    /* bytes that are whole records */
    char path[4096]; /* for messages */
} AppendFile;

/* How much of an existing file stays: called once with the open descriptor, sets *keep (bytes from the start). */
typedef Status (*AppendScan)(void *context, int fd, const char *path, int64_t size, int64_t *keep);

/* Open or create. scan may be NULL: everything stays. */
NODISCARD Status append_open(AppendFile *f, const char *path, AppendScan scan, void *context);
NODISCARD Status append_write(AppendFile *f, const void *bytes, size_t size);
NODISCARD Status append_sync(AppendFile *f);
/* Cut back to keep bytes (at most the present size). */
NODISCARD Status append_cut(AppendFile *f, int64_t keep);
NODISCARD Status append_close(AppendFile *f); /* does not sync; a closed file is left alone */

/* An AppendScan for lines: context is a LineRule. Lines from the first whose number is above `last` are cut, a last line
 * without its newline, and lines before these that say `drop`: what a run wrote at its end, and writes anew at the next.
 * The number is the integer behind `prefix` at the start of the line; lines without it stay. */
typedef struct LineRule {
    const char *prefix; /* "" for CSV, {"step": for JSON lines */
    int64_t last;
    const char *drop; /* within the first 200 bytes of a line; NULL: nothing */
    bool quotes;      /* of CSV: a line break between quotes ends no line */
} LineRule;
NODISCARD Status append_scan_lines(void *context, int fd, const char *path, int64_t size, int64_t *keep);

#endif
