/* proto.c - the wire format, little endian. */
#include "io/record/proto.h"

#include <string.h>

Status proto_varint(Buffer *b, uint64_t value)
{
    unsigned char raw[10];
    size_t n = 0;
    do {
        raw[n] = (unsigned char)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        value >>= 7;
    } while (raw[n++] & 0x80);
    return buffer_append(b, raw, n);
}

Status proto_fixed(Buffer *b, uint64_t value, int bytes)
{
    unsigned char raw[8];
    for (int i = 0; i < bytes; i++) raw[i] = (unsigned char)(value >> (8 * i));
    return buffer_append(b, raw, (size_t)bytes);
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

Status proto_int(Buffer *b, int field, uint64_t value)
{
    TRY(proto_varint(b, (uint64_t)field << 3));
    return proto_varint(b, value);
}

Status proto_double(Buffer *b, int field, double value)
{
    TRY(proto_varint(b, (uint64_t)field << 3 | 1));
    return proto_fixed(b, bits_of(value), 8);
}

Status proto_float(Buffer *b, int field, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    TRY(proto_varint(b, (uint64_t)field << 3 | 5));
    return proto_fixed(b, bits, 4);
}

Status proto_bytes(Buffer *b, int field, const void *bytes, size_t size)
{
    TRY(proto_varint(b, (uint64_t)field << 3 | 2));
    TRY(proto_varint(b, size));
    return buffer_append(b, bytes, size);
}

Status proto_text(Buffer *b, int field, const char *text) { return proto_bytes(b, field, text, strlen(text)); }

Status proto_doubles(Buffer *b, int field, int n, const double *value)
{
    TRY(proto_varint(b, (uint64_t)field << 3 | 2));
    TRY(proto_varint(b, 8 * (uint64_t)n));
    for (int i = 0; i < n; i++) TRY(proto_fixed(b, bits_of(value[i]), 8));
    return OK;
}

Status proto_part(Buffer *b, int field, const Buffer *part)
{
    return proto_bytes(b, field, part->data ? part->data : "", part->size);
}
