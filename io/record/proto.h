/* proto.h - fields of protocol buffers, appended: a varint, 8 or 4 bytes, or bytes with their length. */
#ifndef IO_RECORD_PROTO_H
#define IO_RECORD_PROTO_H
#include <stdint.h>

#include "comm/buffer.h"

NODISCARD Status proto_varint(Buffer *b, uint64_t value);           /* without a field */
NODISCARD Status proto_fixed(Buffer *b, uint64_t value, int bytes); /* the same, little endian */
NODISCARD Status proto_int(Buffer *b, int field, uint64_t value);
NODISCARD Status proto_double(Buffer *b, int field, double value);
NODISCARD Status proto_float(Buffer *b, int field, float value);
NODISCARD Status proto_bytes(Buffer *b, int field, const void *bytes, size_t size);
NODISCARD Status proto_text(Buffer *b, int field, const char *text);
NODISCARD Status proto_doubles(Buffer *b, int field, int n, const double *value); /* packed */
NODISCARD Status proto_part(Buffer *b, int field, const Buffer *part);            /* a message within */

#endif
