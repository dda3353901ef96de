/* append.c - whole records at the end of a file. */
#include "io/record/append.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/file/file_fault.h"

static Status scan_existing(AppendFile *f, AppendScan scan, void *context)
{
    struct stat info;
    REQUIRE(fstat(f->fd, &info) == 0, ERR_IO, "%s: %s", f->path, strerror(errno));
    REQUIRE(S_ISREG(info.st_mode), ERR_IO, "%s: not a regular file", f->path);
    f->size = (int64_t)info.st_size;
    int64_t keep = f->size;
    if (scan && f->size > 0) TRY(scan(context, f->fd, f->path, f->size, &keep));
    return append_cut(f, keep);
}

Status append_open(AppendFile *f, const char *path, AppendScan scan, void *context)
{
    *f = (AppendFile){.fd = -1};
    const int n = snprintf(f->path, sizeof f->path, "%s", path);
    REQUIRE(n >= 0 && (size_t)n < sizeof f->path, ERR_IO, "%s: path is too long", path);
    f->fd = file_fault_open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    REQUIRE(f->fd >= 0, ERR_IO, "%s: %s", path, strerror(errno));
    const Status st = scan_existing(f, scan, context);
    if (st != OK) {
        close(f->fd);
        f->fd = -1;
    }
    return st;
}

Status append_cut(AppendFile *f, int64_t keep)
{
    REQUIRE(keep >= 0 && keep <= f->size, ERR_INTERNAL, "%s: cut at %lld of %lld bytes", f->path, (long long)keep,
            (long long)f->size);
    if (keep == f->size) return OK;
    REQUIRE(ftruncate(f->fd, (off_t)keep) == 0, ERR_IO, "%s: %s", f->path, strerror(errno));
    f->size = keep;
    return OK;
}

Status append_write(AppendFile *f, const void *bytes, size_t size)
{
    REQUIRE(f->fd >= 0, ERR_INTERNAL, "%s: written after it was closed", f->path);
    for (size_t done = 0; done < size;) {
        const ssize_t n = file_fault_write(f->fd, (const char *)bytes + done, size - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            const int why = n < 0 ? errno : ENOSPC;
            const int cut = ftruncate(f->fd, (off_t)f->size); /* half a record is worse than none */
            FAIL(ERR_IO, "%s: %s%s", f->path, strerror(why), cut == 0 ? "" : " (and its last record is torn)");
        }
        done += (size_t)n;
    }
    f->size += (int64_t)size;
    return OK;
}

Status append_sync(AppendFile *f)
{
    if (f->fd < 0) return OK;
    REQUIRE(file_fault_sync(f->fd) == 0, ERR_IO, "%s: %s", f->path, strerror(errno));
    return OK;
}

Status append_close(AppendFile *f)
{
    if (f->fd < 0) return OK;
    const int rc = close(f->fd);
    f->fd = -1;
    REQUIRE(rc == 0, ERR_IO, "%s: %s", f->path, strerror(errno));
    return OK;
}

/* The number of a line, or -1 when it has none. */
static int64_t line_number(const LineRule *rule, const char *start)
{
    const size_t n = strlen(rule->prefix);
    if (strncmp(start, rule->prefix, n) != 0) return -1;
    char *end;
    const long long number = strtoll(start + n, &end, 10);
    return end == start + n ? -1 : (int64_t)number;
}

typedef struct LineState {
    char start[201]; /* first bytes of the present line, where its number stands */
    size_t used;
    bool quoted;
    int64_t kept; /* the end of the last line that stays */
} LineState;

/* True when the scan is over. */
static bool feed(LineState *s, const LineRule *rule, char c, int64_t at)
{
    if (c == '"') s->quoted = !s->quoted;
    if (c != '\n' || (rule->quotes && s->quoted)) {
        if (s->used < sizeof s->start - 1) s->start[s->used++] = c;
        return false;
    }
    s->start[s->used] = '\0';
    if (line_number(rule, s->start) > rule->last) return true;
    if (!rule->drop || !strstr(s->start, rule->drop)) s->kept = at + 1;
    s->used = 0;
    return false;
}

Status append_scan_lines(void *context, int fd, const char *path, int64_t size, int64_t *keep)
{
    const LineRule *rule = context;
    LineState s = {.used = 0};
    char block[16384];
    bool over = false;
    for (int64_t at = 0; at < size && !over;) {
        const ssize_t n = pread(fd, block, sizeof block, (off_t)at);
        if (n < 0 && errno == EINTR) continue;
        REQUIRE(n > 0, ERR_IO, "%s: %s", path, n < 0 ? strerror(errno) : "the file shrank while it was read");
        for (ssize_t i = 0; i < n && !over; i++) over = feed(&s, rule, block[i], at + i);
        at += n;
    }
    *keep = s.kept;
    return OK;
}
