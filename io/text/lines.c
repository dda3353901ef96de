/* lines.c - what is read ahead, and where in it a line ends. */
#include "io/text/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/text/line.h"

enum { BLOCK = 1 << 16 };
static const size_t LINE_MAX_BYTES = (size_t)16 << 20;
static const char standard_input[] = "standard input";

/* More bytes, behind those that are still to come. */
static Status read_block(Lines *l)
{
    const size_t left = l->block.size - l->at;
    Buffer *to = l->from.from ? &l->raw : &l->block;
    TRY(buffer_reserve(&l->block, left + BLOCK));
    TRY(buffer_reserve(to, BLOCK));
    if (left > 0) memmove(l->block.data, l->block.data + l->at, left);
    size_t n;
    const Status read = unpack_read(&l->file, to == &l->raw ? l->raw.data : l->block.data + left, BLOCK, &n);
    REQUIRE(read == OK, read, "%s: after line %" PRId64 ": %s", l->path, l->number, l->file.why);
    l->at = 0;
    l->ended = n == 0;
    l->block.size = left + (to == &l->block ? n : 0);
    if (to == &l->block) return OK;
    const Status st = encoding_convert(&l->from, l->raw.data, n, l->ended, &l->block);
    REQUIRE(st != ERR_DATA, ERR_DATA, "%s: after line %" PRId64 ": bytes that are not %s", l->path, l->number,
            l->encoding);
    return st;
}

static bool begins(const Lines *l, const char *magic, size_t n)
{
    return l->block.size >= n && memcmp(l->block.data, magic, n) == 0;
}

static const char xz_magic[] = "\xfd"
                               "7zXZ";

static Status check_start(Lines *l)
{
    TRY(read_block(l));
    REQUIRE(!l->ended, ERR_DATA, "%s: %s", l->path,
            l->path == standard_input ? "there is nothing to read" : "the file is empty");
    const bool bzip2 = begins(l, "BZh", 3) && l->block.size >= 10 && memcmp(l->block.data + 4, "1AY&SY", 6) == 0;
    REQUIRE(!bzip2 && !begins(l, "\x28\xb5\x2f\xfd", 4) && !begins(l, "PK\x03\x04", 4), ERR_DATA,
            "%s: a packed file, of which only gzip and xz are read here: unpack it first", l->path);
    REQUIRE(!begins(l, "\x1f\x8b", 2) && !begins(l, xz_magic, sizeof xz_magic), ERR_DATA,
            "%s: packed twice, one of which is read here: unpack it first", l->path);
    REQUIRE(!begins(l, "\xff\xfe", 2) && !begins(l, "\xfe\xff", 2), ERR_DATA,
            "%s: UTF-16 text; UTF-8 was expected: iconv -f UTF-16 -t UTF-8", l->path);
    if (!begins(l, "\xef\xbb\xbf", 3)) return OK;
    l->at = 3;
    if (l->at == l->block.size) TRY(read_block(l));
    REQUIRE(l->at < l->block.size, ERR_DATA, "%s: the file is empty but for a byte order mark", l->path);
    return OK;
}

static Status begin(Lines *l, int fd)
{
    const Status st = unpack_open(&l->file, fd);
    REQUIRE(st == OK, st, "%s: %s", l->path, l->file.why);
    return OK;
}

static Status open_file(Lines *l, const char *path)
{
    struct stat info;
    REQUIRE(stat(path, &info) == 0, ERR_INPUT, "%s: %s", path, strerror(errno));
    REQUIRE(!S_ISDIR(info.st_mode), ERR_INPUT, "%s: a folder, a file was expected", path);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    REQUIRE(fd >= 0, ERR_INPUT, "%s: %s", path, strerror(errno));
    return begin(l, fd);
}

static Status open_input(Lines *l)
{
    const int copy = dup(STDIN_FILENO); /* that may be closed */
    REQUIRE(copy >= 0, ERR_INPUT, "%s: %s", l->path, strerror(errno));
    return begin(l, copy);
}

Status lines_open(Lines *l, const char *path)
{
    const bool input = strcmp(path, "-") == 0;
    l->path = input ? standard_input : path;
    l->number = 0;
    l->at = l->block.size = 0;
    l->ended = false;
    if (!encoding_is_utf8(l->encoding)) TRY(encoding_open(&l->from, l->encoding));
    TRY(input ? open_input(l) : open_file(l, path));
    const Status st = check_start(l);
    if (st != OK) lines_close(l);
    return st;
}

Status lines_open_regular(Lines *l, const char *path)
{
    struct stat info;
    const bool there = stat(path, &info) == 0;
    REQUIRE(!there || S_ISREG(info.st_mode) || S_ISDIR(info.st_mode), ERR_INPUT,
            "%s: not a regular file, but it is read by each rank, or twice", path);
    return lines_open(l, path);
}

void lines_close(Lines *l)
{
    unpack_close(&l->file);
    encoding_close(&l->from);
    l->ended = true;
}

void lines_free(Lines *l)
{
    lines_close(l);
    unpack_free(&l->file);
    buffer_close(&l->line);
    buffer_close(&l->block);
    buffer_close(&l->raw);
}

static Status take(Lines *l, size_t size, size_t limit)
{
    REQUIRE(l->line.size + size <= limit, ERR_DATA, "%s:%" PRId64 ": longer than %zu bytes", l->path, l->number + 1,
            limit);
    return buffer_append(&l->line, l->block.data + l->at, size);
}

Status lines_next(Lines *l, const char **text, size_t *size, bool *end)
{
    bool found = false;
    l->line.size = 0;
    for (;;) {
        size_t n, next;
        const size_t left = l->block.size - l->at;
        found = left > 0 && line_find(l->block.data + l->at, left, l->ended, &n, &next);
        if (left > 0) TRY(take(l, n, LINE_MAX_BYTES));
        if (left > 0) l->at += found ? next : n;
        if (found || l->ended) break;
        TRY(read_block(l));
    }
    *end = !found && l->line.size == 0;
    if (*end) return OK;
    l->number++;
    l->line.size = line_mend(l->line.data, l->line.size);
    l->line.data[l->line.size] = '\0';
    *text = l->line.data;
    *size = l->line.size;
    return OK;
}

/* The bytes up to the stop byte into l->line; not found: the file has ended. */
static Status read_until(Lines *l, char stop, size_t limit, bool *found)
{
    l->line.size = 0;
    for (*found = false; !*found;) {
        if (l->at == l->block.size && !l->ended) TRY(read_block(l));
        if (l->at == l->block.size) break;
        const char *from = l->block.data + l->at;
        const char *at = memchr(from, stop, l->block.size - l->at);
        *found = at != NULL;
        const size_t n = *found ? (size_t)(at - from) : l->block.size - l->at;
        TRY(take(l, n, limit));
        l->at += n + *found;
    }
    return OK;
}

Status lines_until(Lines *l, char stop, size_t limit, const char **bytes, size_t *size)
{
    bool found;
    TRY(read_until(l, stop, limit, &found));
    REQUIRE(found, ERR_DATA, "%s: the file ends early", l->path);
    *bytes = l->line.data;
    *size = l->line.size;
    return OK;
}

Status lines_bytes(Lines *l, size_t n, const char **bytes)
{
    l->line.size = 0;
    while (l->line.size < n) {
        if (l->at == l->block.size && !l->ended) TRY(read_block(l));
        REQUIRE(l->at < l->block.size, ERR_DATA, "%s: the file ends early", l->path);
        const size_t left = l->block.size - l->at, more = n - l->line.size < left ? n - l->line.size : left;
        TRY(buffer_append(&l->line, l->block.data + l->at, more));
        l->at += more;
    }
    *bytes = l->line.data;
    return OK;
}

Status lines_rest(Lines *l, Buffer *out)
{
    for (;;) {
        const char *text;
        size_t size;
        bool end;
        TRY(lines_next(l, &text, &size, &end));
        if (end) return OK;
        REQUIRE(out->size + size < LINE_MAX_BYTES, ERR_DATA, "%s: the text is longer than %zu MiB", l->path,
                LINE_MAX_BYTES >> 20);
        TRY(buffer_append(out, text, size));
        TRY(buffer_append(out, "\n", 1));
    }
}
