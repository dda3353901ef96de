/* buffer.h - bytes that grow: a text that is put together, a file in memory.
 *
 * The rule: data may move with every call that appends; keep offsets, not pointers. */
#ifndef COMM_BUFFER_H
#define COMM_BUFFER_H
#include <stdarg.h>
#include <stddef.h>

#include "comm/status.h"

/* Bytes that grow. A zeroed Buffer is empty. data is followed by a 0 byte that does not count. */
typedef struct Buffer {
    char *data;
    size_t size, capacity;
} Buffer;

NODISCARD Status buffer_append(Buffer *b, const void *bytes, size_t size);
NODISCARD Status buffer_text(Buffer *b, const char *text);
NODISCARD Status buffer_format(Buffer *b, const char *format, ...) PRINTF_LIKE(2, 3);
/* For people: texts of others, which %s brings, are shown escaped (terminal.h). */
NODISCARD Status buffer_say(Buffer *b, const char *format, ...) PRINTF_LIKE(2, 3);
NODISCARD Status buffer_vsay(Buffer *b, const char *format, va_list args) PRINTF_LIKE(2, 0);
NODISCARD Status buffer_reserve(Buffer *b, size_t capacity);
void buffer_close(Buffer *b);

/* The n texts that lie in b one after the other, each with its 0 byte, copied to arena in byte order. */
struct Arena;
NODISCARD Status buffer_names(const Buffer *b, int n, struct Arena *arena, const char *const **names);

#endif
