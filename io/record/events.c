/* events.c - TFRecord framing and the few fields of tensorflow.Event that scalars need. */
#include "io/record/events.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "io/record/append.h"
#include "io/record/proto.h"

enum { HEAD = 12, TAIL = 4, LARGEST_RECORD = 1 << 20 };

/* Bit by bit (reflected polynomial of CRC-32C): a few kilobytes a minute need no table. */
uint32_t events_crc32c(const void *bytes, size_t size)
{
    const unsigned char *p = bytes;
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < size; i++) {
        crc ^= p[i];
        for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ (0x82f63b78u & (0u - (crc & 1u)));
    }
    return ~crc;
}

uint32_t events_masked_crc(const void *bytes, size_t size)
{
    const uint32_t crc = events_crc32c(bytes, size);
    return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

Status events_record(Buffer *out, const Buffer *event)
{
    const size_t start = out->size;
    TRY(proto_fixed(out, event->size, 8));
    TRY(proto_fixed(out, events_masked_crc(out->data + start, 8), 4));
    TRY(buffer_append(out, event->data, event->size));
    return proto_fixed(out, events_masked_crc(event->data, event->size), 4);
}

static Status build_header(Buffer *event, Buffer *out, double wall_time)
{
    TRY(proto_double(event, 1, wall_time));
    TRY(proto_bytes(event, 3, "brain.Event:2", 13));
    return events_record(out, event);
}

Status events_header(Buffer *out, double wall_time)
{
    Buffer event = {0};
    const Status st = build_header(&event, out, wall_time);
    buffer_close(&event);
    return st;
}

typedef struct Parts {
    Buffer event, summary, value, tag;
} Parts;

static void close_parts(Parts *p)
{
    buffer_close(&p->event);
    buffer_close(&p->summary);
    buffer_close(&p->value);
    buffer_close(&p->tag);
}

static Status build_scalars(Parts *p, double wall_time, int64_t step, const char *group, int n, const char *const *name,
                            const double *value)
{
    TRY(proto_double(&p->event, 1, wall_time));
    TRY(proto_int(&p->event, 2, (uint64_t)step));
    for (int i = 0; i < n; i++) {
        p->value.size = p->tag.size = 0;
        TRY(buffer_format(&p->tag, "%s/%s", group, name[i]));
        TRY(proto_bytes(&p->value, 1, p->tag.data, p->tag.size));
        TRY(proto_float(&p->value, 2, (float)value[i]));
        TRY(proto_bytes(&p->summary, 1, p->value.data, p->value.size));
    }
    return proto_bytes(&p->event, 5, p->summary.data ? p->summary.data : "", p->summary.size);
}

Status events_scalars(Buffer *out, double wall_time, int64_t step, const char *group, int n, const char *const *name,
                      const double *value)
{
    Parts p = {0};
    Status st = build_scalars(&p, wall_time, step, group, n, name, value);
    if (st == OK) st = events_record(out, &p.event);
    close_parts(&p);
    return st;
}

/* A message of one field that holds bytes. */
static Status put_inside(Buffer *out, int field, int inner, const char *bytes, size_t size)
{
    Buffer b = {0};
    Status st = proto_bytes(&b, inner, bytes, size);
    if (st == OK) st = proto_part(out, field, &b);
    buffer_close(&b);
    return st;
}

static Status build_text(Parts *p, double wall_time, int64_t step, const char *group, const char *name,
                         const char *text, size_t size)
{
    static const char one[] = {1 << 3, 1};
    TRY(proto_double(&p->event, 1, wall_time));
    TRY(proto_int(&p->event, 2, (uint64_t)step));
    TRY(buffer_format(&p->tag, "%s/%s", group, name));
    TRY(proto_bytes(&p->value, 1, p->tag.data, p->tag.size));
    TRY(put_inside(&p->value, 9, 1, "\x0a\x04text", 6)); /* plugin_data: plugin_name "text" */
    p->tag.size = 0;
    TRY(proto_int(&p->tag, 1, 7));
    TRY(put_inside(&p->tag, 2, 2, one, sizeof one));
    TRY(proto_bytes(&p->tag, 8, text, size));
    TRY(proto_bytes(&p->value, 8, p->tag.data, p->tag.size));
    TRY(proto_bytes(&p->summary, 1, p->value.data, p->value.size));
    return proto_bytes(&p->event, 5, p->summary.data, p->summary.size);
}

Status events_text(Buffer *out, double wall_time, int64_t step, const char *group, const char *name, const char *text,
                   size_t size)
{
    Parts p = {0};
    Status st = build_text(&p, wall_time, step, group, name, text, size);
    if (st == OK) st = events_record(out, &p.event);
    close_parts(&p);
    return st;
}

static uint64_t get_fixed(const unsigned char *p, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++) value |= (uint64_t)p[i] << (8 * i);
    return value;
}

/* The step of an event as we write it: wall_time in the first 9 bytes, then the step; -1 when there is none. */
static int64_t event_step(const unsigned char *data, size_t size)
{
    if (size < 11 || data[9] != 2 << 3) return -1;
    uint64_t step = 0;
    for (size_t i = 10; i < size && i < 20; i++) {
        step |= (uint64_t)(data[i] & 0x7f) << (7 * (i - 10));
        if (!(data[i] & 0x80)) return (int64_t)step;
    }
    return -1;
}

static Status read_at(int fd, const char *path, void *bytes, size_t size, int64_t at, bool *whole)
{
    for (size_t done = 0; done < size;) {
        const ssize_t n = pread(fd, (char *)bytes + done, size - done, (off_t)at + (off_t)done);
        if (n < 0 && errno == EINTR) continue;
        REQUIRE(n >= 0, ERR_IO, "%s: %s", path, strerror(errno));
        *whole = n > 0;
        if (n == 0) return OK;
        done += (size_t)n;
    }
    *whole = true;
    return OK;
}

/* A record of the end of a training: its first tag is of a group final_... */
static bool is_final(const unsigned char *data, size_t size)
{
    static const char word[] = "final_";
    for (size_t i = 0; i + sizeof word <= size && i < 48; i++)
        if (memcmp(data + i, word, sizeof word - 1) == 0) return true;
    return false;
}

/* Whether the record at `at` is whole, undamaged and not after `last`; *next is where the following one begins. */
static Status scan_record(int fd, const char *path, Buffer *b, int64_t last, int64_t at, int64_t *next, bool *stays,
                          bool *final)
{
    unsigned char head[HEAD];
    *stays = false;
    bool whole = false;
    TRY(read_at(fd, path, head, HEAD, at, &whole));
    if (!whole || get_fixed(head + 8, 4) != events_masked_crc(head, 8)) return OK;
    const uint64_t size = get_fixed(head, 8);
    if (size > LARGEST_RECORD) return OK;
    TRY(buffer_reserve(b, size + TAIL));
    TRY(read_at(fd, path, b->data, size + TAIL, at + HEAD, &whole));
    const unsigned char *data = (const unsigned char *)b->data;
    if (!whole || get_fixed(data + size, 4) != events_masked_crc(data, size)) return OK;
    *stays = event_step(data, size) <= last;
    *final = is_final(data, size);
    *next = at + HEAD + (int64_t)size + TAIL;
    return OK;
}

Status events_scan(void *context, int fd, const char *path, int64_t size, int64_t *keep)
{
    const int64_t last = *(const int64_t *)context;
    Buffer b = {0};
    Status st = OK;
    bool stays = true, final = false;
    *keep = 0;
    for (int64_t at = 0; st == OK && at < size;) {
        st = scan_record(fd, path, &b, last, at, &at, &stays, &final);
        if (!stays) break;
        if (!final) *keep = at; /* what a training writes at its end it writes anew */
    }
    buffer_close(&b);
    return st;
}
