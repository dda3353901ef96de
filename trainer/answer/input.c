/* input.c - reading what is there, splitting it, sharing it. */
#include "trainer/answer/input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/text/line.h"

enum { READ_SIZE = 1 << 16 };
static const size_t LINE_MOST = (size_t)64 << 20; /* bytes of one line */

const char *input_name(const char *path) { return strcmp(path, "-") == 0 ? "standard input" : path; }

Status input_open(Input *r, Comm *comm, const char *path)
{
    *r = (Input){.fd = -1, .path = input_name(path)};
    Status st = OK;
    if (comm_rank(comm) == 0) {
        r->fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
        if (r->fd < 0) st = status_fail(ERR_INPUT, __FILE__, __LINE__, __func__, "%s: %s", path, strerror(errno));
    }
    return comm_agree(comm, st);
}

void input_close(Input *r)
{
    if (r->fd > STDERR_FILENO) close(r->fd);
    buffer_close(&r->input);
    buffer_close(&r->piece);
    arena_close(&r->arena);
    *r = (Input){.fd = -1};
}

static Status read_more(Input *r)
{
    TRY(buffer_reserve(&r->input, r->input.size + READ_SIZE + 1));
    const ssize_t n = read(r->fd, r->input.data + r->input.size, READ_SIZE);
    REQUIRE(n >= 0 || errno == EINTR, ERR_IO, "%s: %s", r->path, strerror(errno));
    if (n == 0) r->ended = true;
    if (n > 0) r->input.size += (size_t)n;
    return OK;
}

static bool more_is_there(const Input *r)
{
    struct pollfd p = {.fd = r->fd, .events = POLLIN};
    return !r->ended && poll(&p, 1, 0) > 0;
}

/* Bytes of the first lines of the input, at most `most` of them that are whole. */
static size_t whole_lines(const Input *r, int64_t most, int64_t *n)
{
    size_t end = 0, size, next;
    for (*n = 0; *n < most && end < r->input.size; (*n)++, end += next)
        if (!line_find(r->input.data + end, r->input.size - end, r->ended, &size, &next)) break;
    return end;
}

static Status read_piece(Input *r, int64_t most)
{
    int64_t n = 0;
    size_t end = 0;
    while ((end = r->input.size ? whole_lines(r, most, &n) : 0),
           n < most && !r->ended && (n == 0 || more_is_there(r))) {
        REQUIRE(r->input.size - end < LINE_MOST, ERR_DATA, "%s:%lld: a line of more than %zu bytes", r->path,
                (long long)(r->number + n + 1), LINE_MOST);
        TRY(read_more(r));
    }
    if (n < most && r->ended) end = r->input.size; /* the last line may lack its end */
    r->piece.size = 0;
    TRY(buffer_append(&r->piece, r->input.data ? r->input.data : "", end));
    if (end) memmove(r->input.data, r->input.data + end, r->input.size - end);
    r->input.size -= end;
    return OK;
}

double input_share(const Input *r)
{
    struct stat info;
    const off_t at = r->fd >= 0 ? lseek(r->fd, 0, SEEK_CUR) : -1;
    if (at < 0 || fstat(r->fd, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size == 0) return -1;
    return (double)(at - (off_t)r->input.size) / (double)info.st_size;
}

static bool blank(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!strchr(" \t", text[i]) || !text[i]) return false;
    return true;
}

static Status split(Input *r, int64_t most, InputLines *out)
{
    arena_release(&r->arena, (ArenaMark){0});
    TRY_NEW(out->line, &r->arena, most + 1);
    out->n = 0;
    for (size_t at = 0, next; at < r->piece.size; at += next) {
        char *text = r->piece.data + at;
        size_t size;
        if (!line_find(text, r->piece.size - at, true, &size, &next)) next = size;
        size = line_mend(text, size);
        r->number++;
        if (r->blanks || !blank(text, size)) out->line[out->n++] = (InputLine){text, size, r->number};
    }
    return OK;
}

Status input_read(Input *r, Comm *comm, int64_t most, InputLines *out)
{
    do {
        TRY(comm_agree(comm, comm_rank(comm) == 0 ? read_piece(r, most) : OK));
        size_t size = r->piece.size;
        TRY(comm_broadcast(comm, &size, sizeof size, 0));
        *out = (InputLines){0};
        if (size == 0) return OK;
        TRY(comm_agree(comm, buffer_reserve(&r->piece, size + 1)));
        TRY(comm_broadcast(comm, r->piece.data, size, 0));
        r->piece.size = size;
        r->piece.data[size] = '\0';
        TRY(comm_agree(comm, split(r, most, out)));
    } while (out->n == 0); /* a piece of blank lines */
    return OK;
}
