/* unpack.h - the bytes of a file, gzip, xz or plain, as it shows by its first bytes.
 *
 * Formats: RFC 1952 (several members one after the other, zero bytes behind the last) and the .xz file format 1.1
 * (several streams, padding). Anything else behind a packed file is a fault: it would be lost. */
#ifndef IO_TEXT_UNPACK_H
#define IO_TEXT_UNPACK_H
#include <stdbool.h>

#include "comm/buffer.h"

typedef enum Packing { PACKED_NOT, PACKED_GZIP, PACKED_XZ } Packing;

/* A zeroed Unpack is closed. It must not move while it is open. */
typedef struct Unpack {
    bool open;
    int fd;
    Packing packing;
    Buffer raw; /* bytes read ahead, [at, raw.size) still to come */
    size_t at;
    bool ended;    /* nothing is left in the file */
    bool between;  /* a member of gzip has ended */
    Buffer stream; /* the library's */
    const char *why;
} Unpack;

/* All three without a message, since the caller knows the place: why says it. ERR_IO when reading fails, ERR_DATA for
 * bytes that cannot be unpacked, ERR_HOST without memory. fd is taken, also on failure. */
NODISCARD Status unpack_open(Unpack *u, int fd);
/* *n < room: the end. Pipes are waited for. */
NODISCARD Status unpack_read(Unpack *u, void *out, size_t room, size_t *n);
void unpack_close(Unpack *u); /* keeps the buffers for the next file */
void unpack_free(Unpack *u);

#endif
