/* encoding.h - bytes of another encoding as UTF-8, piece by piece, by ICU's converters. */
#ifndef IO_TEXT_ENCODING_H
#define IO_TEXT_ENCODING_H
#include <stdint.h>

#include "comm/buffer.h"

enum { ENCODING_PIVOT = 1024 };

/* Zeroed: closed. */
typedef struct Encoding {
    void *from, *to;
    const char *name; /* borrowed */
    uint16_t pivot[ENCODING_PIVOT], *source, *target;
    bool begun;
} Encoding;

/* ERR_CONFIG when ICU knows no encoding of this name. */
NODISCARD Status encoding_open(Encoding *e, const char *name);
bool encoding_is_utf8(const char *name);
/* The next n bytes, appended to out; last: there are no more. Bytes that are none of the encoding: ERR_DATA. */
NODISCARD Status encoding_convert(Encoding *e, const char *bytes, size_t n, bool last, Buffer *out);
void encoding_close(Encoding *e);

#endif
