/* arena.h - all memory of the program.
 *
 * Three arenas: `run` for the whole program, `step` for one training step, `scratch` inside a
 * function (mark, release). Nobody frees a single piece. Released memory stays with the arena and is
 * handed out again, so that a step in steady state asks the system for nothing: `system_calls`
 * stops growing. No other file but buffer.c calls malloc. An arena belongs to one thread at a time. */
#ifndef COMM_ARENA_H
#define COMM_ARENA_H
#include <stddef.h>
#include <stdint.h>

#include "comm/buffer.h"
#include "comm/status.h"

typedef struct ArenaChunk ArenaChunk;

typedef struct Arena {
    ArenaChunk *first, *current; /* list of chunks; those after current are free */
    size_t bytes;                /* held from the system */
    int64_t system_calls;        /* malloc calls so far */
    long fail_in;                /* tests: > 0 counts down, the allocation that reaches 0 fails */
} Arena;

typedef struct ArenaMark {
    ArenaChunk *chunk;
    size_t used;
} ArenaMark;

/* A zeroed Arena is empty and ready. */
void arena_close(Arena *a);

/* bytes of memory on a 64-byte boundary, not zeroed; NULL, with a report of ERR_HOST, when there is
 * none. 0 bytes give a valid pointer. */
NODISCARD void *arena_alloc(Arena *a, size_t bytes);
/* count * size bytes, zeroed; a product that overflows fails like lack of memory. */
NODISCARD void *arena_zeros(Arena *a, int64_t count, size_t size);
NODISCARD char *arena_text(Arena *a, const char *text); /* a copy; NULL when out of memory */
NODISCARD char *arena_format(Arena *a, const char *format, ...) PRINTF_LIKE(2, 3);

ArenaMark arena_mark(const Arena *a);
void arena_release(Arena *a, ArenaMark mark); /* forget all that came after the mark */

/* p = NEW(arena, Type, count) inside a function that returns Status: zeroed. */
#define TRY_NEW(p, arena, count)                                                                                       \
    do {                                                                                                               \
        (p) = arena_zeros((arena), (count), sizeof *(p));                                                              \
        if (!(p)) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);                                         \
    } while (0)

#endif
