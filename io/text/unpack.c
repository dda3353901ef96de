/* unpack.c - zlib and liblzma behind one call. */
#include "io/text/unpack.h"

#include <errno.h>
#include <lzma.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { BLOCK = 1 << 16 };
static const uint64_t XZ_MEMORY = (uint64_t)1 << 30; /* xz -9 needs 65 MiB, the largest dictionary 1.5 GiB */

static Status fault(Unpack *u, Status st, const char *why)
{
    u->why = why;
    return st;
}

/* Up to room bytes of the file itself; *n == 0: its end. */
static Status read_file(Unpack *u, char *out, size_t room, size_t *n)
{
    ssize_t got;
    do got = read(u->fd, out, room);
    while (got < 0 && errno == EINTR);
    if (got < 0) return fault(u, ERR_IO, strerror(errno));
    *n = (size_t)got;
    u->ended = got == 0;
    return OK;
}

/* At least wanted bytes behind raw.data + at, unless the file ends before. */
static Status fill(Unpack *u, size_t wanted)
{
    if (u->at == u->raw.size) u->at = u->raw.size = 0;
    while (u->raw.size - u->at < wanted && !u->ended) {
        size_t n;
        if (buffer_reserve(&u->raw, u->raw.size + BLOCK) != OK) return fault(u, ERR_HOST, "out of memory");
        const Status st = read_file(u, u->raw.data + u->raw.size, BLOCK, &n);
        if (st != OK) return st;
        u->raw.size += n;
    }
    return OK;
}

static bool begins(const Unpack *u, const char *magic, size_t n)
{
    return u->raw.size >= n && memcmp(u->raw.data, magic, n) == 0;
}

static const char xz_magic[] = "\xfd"
                               "7zXZ";

/* The library's stream at its beginning. It holds pointers to itself. */
static Status start(Unpack *u)
{
    const size_t size = sizeof(z_stream) > sizeof(lzma_stream) ? sizeof(z_stream) : sizeof(lzma_stream);
    if (buffer_reserve(&u->stream, size) != OK) return fault(u, ERR_HOST, "out of memory");
    memset(u->stream.data, 0, size);
    bool right = true;
    if (u->packing == PACKED_GZIP) right = inflateInit2((z_stream *)(void *)u->stream.data, 15 + 16) == Z_OK;
    if (u->packing == PACKED_XZ)
        right = lzma_stream_decoder((lzma_stream *)(void *)u->stream.data, XZ_MEMORY, LZMA_CONCATENATED) == LZMA_OK;
    return right ? OK : fault(u, ERR_HOST, "out of memory");
}

Status unpack_open(Unpack *u, int fd)
{
    u->open = true;
    u->fd = fd;
    u->packing = PACKED_NOT;
    u->at = u->raw.size = 0;
    u->ended = u->between = false;
    u->why = "";
    Status st = fill(u, sizeof xz_magic);
    if (st == OK && begins(u, "\x1f\x8b", 2)) u->packing = PACKED_GZIP;
    if (st == OK && begins(u, xz_magic, sizeof xz_magic)) u->packing = PACKED_XZ;
    if (st == OK) st = start(u);
    if (st != OK) {
        u->packing = PACKED_NOT; /* no stream to end */
        unpack_close(u);
    }
    return st;
}

static Status read_plain(Unpack *u, char *out, size_t room, size_t *n)
{
    const size_t ahead = u->raw.size - u->at;
    *n = ahead < room ? ahead : room;
    if (*n > 0) memcpy(out, u->raw.data + u->at, *n);
    u->at += *n;
    while (*n < room && !u->ended) {
        size_t more;
        const Status st = read_file(u, out + *n, room - *n, &more);
        if (st != OK) return st;
        *n += more;
    }
    return OK;
}

/* --- gzip --- */

/* Behind a member: another one, or zero bytes to the end. */
static Status next_member(Unpack *u, z_stream *z, bool *end)
{
    Status st = fill(u, 1);
    bool zeros = false;
    while (st == OK && u->at < u->raw.size && u->raw.data[u->at] == '\0') {
        zeros = true;
        u->at++;
        st = fill(u, 1);
    }
    *end = u->at == u->raw.size;
    if (st != OK || *end) return st;
    if (zeros || u->raw.data[u->at] != '\x1f') return fault(u, ERR_DATA, "bytes behind the gzip file");
    u->between = false;
    return inflateReset(z) == Z_OK ? OK : fault(u, ERR_INTERNAL, "zlib");
}

static Status read_gzip(Unpack *u, char *out, size_t room, size_t *n)
{
    z_stream *z = (z_stream *)(void *)u->stream.data;
    for (*n = 0; *n < room;) {
        bool end = false;
        if (u->between) {
            const Status st = next_member(u, z, &end);
            if (st != OK || end) return st;
        }
        const Status st = fill(u, 1);
        if (st != OK) return st;
        if (u->at == u->raw.size) return fault(u, ERR_DATA, "the gzip file ends early");
        z->next_in = (Bytef *)u->raw.data + u->at;
        z->avail_in = (uInt)(u->raw.size - u->at);
        z->next_out = (Bytef *)out + *n;
        z->avail_out = (uInt)(room - *n);
        const int code = inflate(z, Z_NO_FLUSH);
        u->at = u->raw.size - z->avail_in;
        *n = room - z->avail_out;
        u->between = code == Z_STREAM_END;
        if (code == Z_MEM_ERROR) return fault(u, ERR_HOST, "out of memory");
        if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
            return fault(u, ERR_DATA, z->msg ? z->msg : "the gzip file is damaged");
    }
    return OK;
}

/* --- xz --- */

static Status xz_fault(Unpack *u, lzma_ret code)
{
    switch (code) {
    case LZMA_BUF_ERROR: return fault(u, ERR_DATA, "the xz file ends early");
    case LZMA_MEM_ERROR: return fault(u, ERR_HOST, "out of memory");
    case LZMA_MEMLIMIT_ERROR: return fault(u, ERR_HOST, "the xz file takes more than 1 GiB to unpack");
    case LZMA_OPTIONS_ERROR: return fault(u, ERR_DATA, "the xz file was packed by options that are not known here");
    default: return fault(u, ERR_DATA, "the xz file is damaged, or other bytes are behind it");
    }
}

static Status read_xz(Unpack *u, char *out, size_t room, size_t *n)
{
    lzma_stream *x = (lzma_stream *)(void *)u->stream.data;
    for (*n = 0; *n < room && !u->between;) {
        const Status st = fill(u, 1);
        if (st != OK) return st;
        x->next_in = (const uint8_t *)u->raw.data + u->at;
        x->avail_in = u->raw.size - u->at;
        x->next_out = (uint8_t *)out + *n;
        x->avail_out = room - *n;
        const lzma_ret code = lzma_code(x, u->ended ? LZMA_FINISH : LZMA_RUN);
        u->at = u->raw.size - x->avail_in;
        *n = room - x->avail_out;
        u->between = code == LZMA_STREAM_END;
        if (code != LZMA_OK && code != LZMA_STREAM_END) return xz_fault(u, code);
    }
    return OK;
}

Status unpack_read(Unpack *u, void *out, size_t room, size_t *n)
{
    return u->packing == PACKED_GZIP ? read_gzip(u, out, room, n)
           : u->packing == PACKED_XZ ? read_xz(u, out, room, n)
                                     : read_plain(u, out, room, n);
}

void unpack_close(Unpack *u)
{
    if (!u->open) return;
    if (u->packing == PACKED_GZIP) inflateEnd((z_stream *)(void *)u->stream.data);
    if (u->packing == PACKED_XZ) lzma_end((lzma_stream *)(void *)u->stream.data);
    close(u->fd);
    u->open = false;
}

void unpack_free(Unpack *u)
{
    unpack_close(u);
    buffer_close(&u->raw);
    buffer_close(&u->stream);
}
