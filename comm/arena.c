/* arena.c - chunks from the system, handed out from the front. */
#include "comm/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 64 };
static const size_t CHUNK_MIN = (size_t)1 << 20;

struct ArenaChunk {
    ArenaChunk *next;
    size_t size, used; /* bytes after the header */
};

/* The header takes one cache line, so that the first piece is aligned too. */
static char *chunk_data(ArenaChunk *c) { return (char *)c + ALIGN; }

static size_t round_up(size_t n) { return (n + ALIGN - 1) / ALIGN * ALIGN; }

void arena_close(Arena *a)
{
    for (ArenaChunk *c = a->first, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    *a = (Arena){0};
}

static ArenaChunk *chunk_new(Arena *a, size_t bytes)
{
    size_t size = a->bytes / 2 > CHUNK_MIN ? a->bytes / 2 : CHUNK_MIN; /* few chunks, little waste */
    size = round_up(bytes > size ? bytes : size);
    ArenaChunk *c = aligned_alloc(ALIGN, ALIGN + size);
    if (!c && size > bytes) {
        size = round_up(bytes);
        c = aligned_alloc(ALIGN, ALIGN + size);
    }
    if (!c) return NULL;
    *c = (ArenaChunk){.size = size};
    a->bytes += size;
    a->system_calls++;
    return c;
}

/* The next chunk that can hold bytes: one that was released earlier, or a new one. */
static ArenaChunk *chunk_for(Arena *a, size_t bytes)
{
    for (ArenaChunk *c = a->current ? a->current->next : a->first; c; c = c->next) {
        c->used = 0;
        a->current = c;
        if (c->size >= bytes) return c;
    }
    ArenaChunk *c = chunk_new(a, bytes);
    if (!c) return NULL;
    if (a->current)
        a->current->next = c;
    else
        a->first = c;
    a->current = c;
    return c;
}

static void *no_memory(size_t bytes)
{
    (void)status_fail(ERR_HOST, __FILE__, __LINE__, __func__, "out of memory: %zu bytes were asked for", bytes);
    return NULL;
}

void *arena_alloc(Arena *a, size_t bytes)
{
    if (a->fail_in > 0 && --a->fail_in == 0) return no_memory(bytes);
    if (bytes > SIZE_MAX / 2) return no_memory(bytes);
    const size_t size = bytes ? round_up(bytes) : ALIGN;
    ArenaChunk *c = a->current;
    if (!c || c->size - c->used < size) c = chunk_for(a, size);
    if (!c) return no_memory(bytes);
    char *p = chunk_data(c) + c->used;
    c->used += size;
    return p;
}

void *arena_zeros(Arena *a, int64_t count, size_t size)
{
    if (count < 0 || (size && (uint64_t)count > SIZE_MAX / size)) return no_memory(SIZE_MAX);
    void *p = arena_alloc(a, (size_t)count * size);
    return p ? memset(p, 0, (size_t)count * size) : NULL;
}

char *arena_text(Arena *a, const char *text)
{
    const size_t n = strlen(text) + 1;
    char *copy = arena_alloc(a, n);
    return copy ? memcpy(copy, text, n) : NULL;
}

char *arena_format(Arena *a, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = n < 0 ? NULL : arena_alloc(a, (size_t)n + 1);
    if (text) vsnprintf(text, (size_t)n + 1, format, again);
    va_end(again);
    return text;
}

ArenaMark arena_mark(const Arena *a) { return (ArenaMark){a->current, a->current ? a->current->used : 0}; }

void arena_release(Arena *a, ArenaMark mark)
{
    a->current = mark.chunk ? mark.chunk : a->first;
    if (a->current) a->current->used = mark.chunk ? mark.used : 0;
}
