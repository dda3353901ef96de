/* lines.c - zlib reads gzip and plain files alike. */
#include "io/text/lines.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

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
    const int n = gzread(l->handle, to == &l->raw ? l->raw.data : l->block.data + left, BLOCK);
    int code = Z_OK;
    const char *why = gzerror(l->handle, &code);
    REQUIRE(n >= 0 && code != Z_BUF_ERROR, code == Z_ERRNO ? ERR_IO : ERR_DATA, "%s: after line %" PRId64 ": %s",
            l->path, l->number,
            code == Z_ERRNO       ? strerror(errno)
            : code == Z_BUF_ERROR ? "the gzip file ends early"
                                  : why);
    l->at = 0;
    l->ended = n == 0;
    l->block.size = left + (to == &l->block ? (size_t)n : 0);
    if (to == &l->block) return OK;
    const Status st = encoding_convert(&l->from, l->raw.data, (size_t)n, l->ended, &l->block);
    REQUIRE(st != ERR_DATA, ERR_DATA, "%s: after line %" PRId64 ": bytes that are not %s", l->path, l->number,
            l->encoding);
    return st;
}

static bool begins(const Lines *l, const char *magic, size_t n)
{
    return l->block.size >= n && memcmp(l->block.data, magic, n) == 0;
}

static Status check_start(Lines *l)
{
    TRY(read_block(l));
    REQUIRE(!l->ended, ERR_DATA, "%s: %s", l->path,
            l->path == standard_input ? "there is nothing to read" : "the file is empty");
    REQUIRE(!begins(l,
                    "\xfd"
                    "7zXZ",
                    6),
            ERR_DATA, "%s: packed with xz, which is not read here: unpack it first (xz -dk)", l->path);
    REQUIRE(!begins(l, "BZh", 3) && !begins(l, "\x28\xb5\x2f\xfd", 4) && !begins(l, "PK\x03\x04", 4), ERR_DATA,
            "%s: a packed file, of which only gzip is read here: unpack it first", l->path);
    REQUIRE(!begins(l, "\xff\xfe", 2) && !begins(l, "\xfe\xff", 2), ERR_DATA,
            "%s: UTF-16 text; UTF-8 was expected: iconv -f UTF-16 -t UTF-8", l->path);
    if (!begins(l, "\xef\xbb\xbf", 3)) return OK;
    l->at = 3;
    if (l->at == l->block.size) TRY(read_block(l));
    REQUIRE(l->at < l->block.size, ERR_DATA, "%s: the file is empty but for a byte order mark", l->path);
    return OK;
}

static Status open_file(Lines *l, const char *path)
{
    struct stat info;
    REQUIRE(stat(path, &info) == 0, ERR_INPUT, "%s: %s", path, strerror(errno));
    REQUIRE(!S_ISDIR(info.st_mode), ERR_INPUT, "%s: a folder, a file was expected", path);
    errno = 0;
    l->handle = gzopen(path, "rb");
    REQUIRE(l->handle, errno ? ERR_INPUT : ERR_HOST, "%s: %s", path, errno ? strerror(errno) : "out of memory");
    return OK;
}

static Status open_input(Lines *l)
{
    const int copy = dup(STDIN_FILENO); /* that gzclose may close */
    REQUIRE(copy >= 0, ERR_INPUT, "%s: %s", l->path, strerror(errno));
    l->handle = gzdopen(copy, "rb");
    if (!l->handle) close(copy);
    REQUIRE(l->handle, ERR_HOST, "%s: out of memory", l->path);
    return OK;
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
    if (l->handle) gzclose(l->handle);
    l->handle = NULL;
    encoding_close(&l->from);
    l->ended = true;
}

void lines_free(Lines *l)
{
    lines_close(l);
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
