/* buffer.c - bytes that grow. */
#include "comm/buffer.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/arena.h"
#include "comm/terminal.h"

Status buffer_reserve(Buffer *b, size_t capacity)
{
    if (capacity < b->capacity) return OK;
    size_t size = b->capacity ? b->capacity : 256;
    while (size <= capacity) size *= 2;
    char *data = realloc(b->data, size);
    REQUIRE(data, ERR_HOST, "out of memory: %zu bytes were asked for", size);
    b->data = data;
    b->capacity = size;
    return OK;
}

Status buffer_append(Buffer *b, const void *bytes, size_t size)
{
    REQUIRE(size < SIZE_MAX / 4 - b->size, ERR_HOST, "out of memory: %zu bytes were asked for", size);
    TRY(buffer_reserve(b, b->size + size + 1));
    if (size) memcpy(b->data + b->size, bytes, size);
    b->size += size;
    b->data[b->size] = '\0';
    return OK;
}

Status buffer_text(Buffer *b, const char *text) { return buffer_append(b, text, strlen(text)); }

Status buffer_format(Buffer *b, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    Status st = n < 0 ? ERR_INTERNAL : buffer_reserve(b, b->size + (size_t)n + 1);
    if (st == OK) {
        vsnprintf(b->data + b->size, (size_t)n + 1, format, again);
        b->size += (size_t)n;
    }
    va_end(again);
    return st;
}

Status buffer_vsay(Buffer *b, const char *format, va_list args)
{
    const size_t n = (size_t)terminal_vformat(NULL, 0, format, args);
    TRY(buffer_reserve(b, b->size + n + 1));
    terminal_vformat(b->data + b->size, n + 1, format, args);
    b->size += n;
    return OK;
}

Status buffer_say(Buffer *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const Status st = buffer_vsay(b, format, args);
    va_end(args);
    return st;
}

void buffer_close(Buffer *b)
{
    free(b->data);
    *b = (Buffer){0};
}

static int by_bytes(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

Status buffer_names(const Buffer *b, int n, struct Arena *arena, const char *const **names)
{
    const char **list;
    TRY_NEW(list, arena, n + 1);
    char *copy = arena_alloc(arena, b->size);
    if (!copy) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    if (b->size) memcpy(copy, b->data, b->size);
    for (int i = 0; i < n; i++) {
        list[i] = copy;
        copy += strlen(copy) + 1;
    }
    if (n > 1) qsort(list, (size_t)n, sizeof *list, by_bytes);
    *names = list;
    return OK;
}
