/* checkpoint.c - registering what a checkpoint holds, and the check that it is finite. */
#include "io/checkpoint/checkpoint_file.h"

#include <math.h>
#include <string.h>

void checkpoint_begin(Checkpoint *c, Arena *arena, const char *model, int width)
{
    *c = (Checkpoint){.arena = arena,
                      .model = model,
                      .width = width,
                      .source = {.examples = -1},
                      .metric = (double)NAN,
                      .loss = (double)NAN};
}

/* Room for one item more; lists double, and the arena keeps the old ones until it is released. */
static Status grow(Arena *arena, void **list, int n, int *room, size_t size)
{
    if (n < *room) return OK;
    const int wanted = *room ? *room * 2 : 32;
    char *bigger;
    TRY_NEW(bigger, arena, (int64_t)wanted * (int64_t)size);
    if (n) memcpy(bigger, *list, (size_t)n * size);
    *list = bigger;
    *room = wanted;
    return OK;
}

Status checkpoint_param(Checkpoint *c, const CheckpointParam *p)
{
    int64_t count = 1;
    REQUIRE(p->rank >= 1 && p->rank <= CHECKPOINT_AXES, ERR_INTERNAL, "parameter %s: %d axes", p->name, p->rank);
    for (int i = 0; i < p->rank; i++) count *= p->shape[i];
    REQUIRE(count == p->count && count > 0 && p->offset >= 0, ERR_INTERNAL, "parameter %s: %lld numbers of %lld",
            p->name, (long long)p->count, (long long)count);
    void *list = c->param;
    TRY(grow(c->arena, &list, c->n_params, &c->room_params, sizeof *c->param));
    c->param = list;
    c->param[c->n_params++] = *p;
    return OK;
}

Status checkpoint_buffer(Checkpoint *c, const char *name, void *data, bool optional)
{
    void *list = c->buffer;
    TRY(grow(c->arena, &list, c->n_buffers, &c->room_buffers, sizeof *c->buffer));
    c->buffer = list;
    c->buffer[c->n_buffers++] = (CheckpointBuffer){.name = name, .data = data, .optional = optional};
    return OK;
}

static Status add_state(Checkpoint *c, CheckpointState s)
{
    REQUIRE(s.n >= 1, ERR_INTERNAL, "state %s: %lld values", s.name, (long long)s.n);
    void *list = c->state;
    TRY(grow(c->arena, &list, c->n_states, &c->room_states, sizeof *c->state));
    c->state = list;
    c->state[c->n_states++] = s;
    return OK;
}

Status checkpoint_int(Checkpoint *c, const char *name, int64_t *value, int64_t n, bool optional)
{
    return add_state(c, (CheckpointState){name, CHECKPOINT_INT, n, value, optional, false, INT64_MIN, INT64_MAX});
}

void checkpoint_range(Checkpoint *c, int64_t least, int64_t most)
{
    c->state[c->n_states - 1].least = least;
    c->state[c->n_states - 1].most = most;
}

Status checkpoint_real(Checkpoint *c, const char *name, double *value, int64_t n, bool optional)
{
    return add_state(c, (CheckpointState){name, CHECKPOINT_REAL, n, value, optional, false, INT64_MIN, INT64_MAX});
}

Status checkpoint_text(Checkpoint *c, const char *name, const char **value, bool optional)
{
    return add_state(c, (CheckpointState){name, CHECKPOINT_TEXT, 1, value, optional, false, INT64_MIN, INT64_MAX});
}

/* An exponent of all ones is an infinity or not a number. Counted without a branch, so that the loop runs as fast as
 * memory; only a bad block is looked at again. */
static int64_t first_not_finite32(const uint32_t *bits, int64_t n)
{
    enum { BLOCK = 4096 };
    for (int64_t at = 0; at < n; at += BLOCK) {
        const int64_t end = at + BLOCK < n ? at + BLOCK : n;
        uint32_t bad = 0;
        for (int64_t i = at; i < end; i++) bad |= (uint32_t)((bits[i] & 0x7f800000u) == 0x7f800000u);
        if (!bad) continue;
        for (int64_t i = at; i < end; i++)
            if ((bits[i] & 0x7f800000u) == 0x7f800000u) return i;
    }
    return -1;
}

static int64_t first_not_finite64(const uint64_t *bits, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if ((bits[i] & 0x7ff0000000000000u) == 0x7ff0000000000000u) return i;
    return -1;
}

int64_t checkpoint_not_finite(const void *data, int width, int64_t n)
{
    return width == 4 ? first_not_finite32(data, n) : first_not_finite64(data, n);
}

static Status check_one(const Checkpoint *c, const CheckpointBuffer *b, const CheckpointParam *p)
{
    const char *data = (const char *)b->data + p->offset * c->width;
    const int64_t at = checkpoint_not_finite(data, c->width, p->count);
    if (at < 0) return OK;
    float single = 0;
    double value = 0;
    if (c->width == 4) {
        memcpy(&single, data + at * 4, 4);
        value = (double)single;
    } else
        memcpy(&value, data + at * 8, 8);
    FAIL(ERR_CHECK, "step %lld is not saved: %s/%s holds %s at element %lld", (long long)c->step, b->name, p->name,
         isnan(value) ? "nan"
         : value > 0  ? "inf"
                      : "-inf",
         (long long)at);
}

Status checkpoint_check_finite(const Checkpoint *c)
{
    for (int b = 0; b < c->n_buffers; b++)
        for (int p = 0; p < c->n_params; p++) TRY(check_one(c, &c->buffer[b], &c->param[p]));
    return OK;
}

int64_t checkpoint_bytes(const Checkpoint *c)
{
    /* HDF5's own part: an object header, chunk index and attributes a dataset, and a checksum a chunk; chunks at the
     * edge are written whole, so that a dataset may take up to twice its numbers, at most a chunk of 512 KiB more. */
    int64_t numbers = 0, edges = 0;
    for (int p = 0; p < c->n_params; p++) {
        const int64_t bytes = c->param[p].count * c->width;
        numbers += bytes;
        edges += bytes < (512 << 10) ? bytes : bytes / 2 + (512 << 10);
    }
    const int64_t texts = (int64_t)(c->config ? strlen(c->config) : 0) + (c->environment ? 65536 : 0);
    int64_t states = 0;
    for (int s = 0; s < c->n_states; s++)
        states += 4096 + (c->state[s].kind == CHECKPOINT_TEXT ? 65536 : c->state[s].n * 8);
    return (int64_t)c->n_buffers * (numbers + edges + 8192 * (int64_t)c->n_params) + states + texts + (1 << 20);
}
