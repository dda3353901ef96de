/* lanes_batch.c - some examples of a batch, copied into a batch of their own. */
#include <string.h>

#include "comm/arena.h"
#include "trainer/parallel/lanes.h"

/* Example e's units of each level: from[l] to to[l]. */
static void ranges(const Ragged *f, int64_t e, int64_t *from, int64_t *to)
{
    from[0] = e;
    to[0] = e + 1;
    for (int l = 0; l < f->field->levels; l++) {
        from[l + 1] = f->offset[l][from[l]];
        to[l + 1] = f->offset[l][to[l]];
    }
}

/* Arrays of the sizes in out->count. */
typedef struct Arrays {
    int64_t *offset[RAGGED_LEVELS];
    int32_t *id;
    float *value;
} Arrays;

static Status allocate(Arrays *a, Arena *arena, const Ragged *in, Ragged *out)
{
    const int last = in->field->levels;
    for (int l = 0; l < last; l++) {
        TRY_NEW(a->offset[l], arena, out->count[l] + 1);
        out->offset[l] = a->offset[l];
    }
    if (in->id) TRY_NEW(a->id, arena, out->count[last]);
    if (in->value) TRY_NEW(a->value, arena, out->count[last] * in->field->width);
    out->id = a->id;
    out->value = a->value;
    return OK;
}

static Status pick(const Ragged *in, int64_t B, int64_t first, int64_t stride, Arena *arena, Ragged *out)
{
    int64_t from[RAGGED_LEVELS + 1], to[RAGGED_LEVELS + 1], done[RAGGED_LEVELS + 1] = {0};
    const int last = in->field->levels;
    out->field = in->field;
    for (int64_t e = first; e < B; e += stride) {
        ranges(in, e, from, to);
        for (int l = 0; l <= last; l++) out->count[l] += to[l] - from[l];
    }
    Arrays a = {0};
    TRY(allocate(&a, arena, in, out));
    for (int64_t e = first; e < B; e += stride) {
        ranges(in, e, from, to);
        for (int l = 0; l < last; l++)
            for (int64_t u = from[l]; u < to[l]; u++)
                a.offset[l][done[l] + u - from[l] + 1] = in->offset[l][u + 1] - from[l + 1] + done[l + 1];
        const size_t n = (size_t)(to[last] - from[last]);
        if (in->id && n) memcpy(a.id + done[last], in->id + from[last], n * sizeof *a.id);
        const int64_t width = in->field->width;
        if (in->value && n)
            memcpy(a.value + done[last] * width, in->value + from[last] * width, n * field_bytes(in->field));
        for (int l = 0; l <= last; l++) done[l] += to[l] - from[l];
    }
    return OK;
}

Status lanes_batch(const Batch *all, int64_t lane, int64_t lanes, Arena *arena, Batch *out)
{
    *out = (Batch){.all = all->all, .n_fields = all->n_fields};
    int64_t *example;
    TRY_NEW(example, arena, all->B / lanes + 1);
    for (int64_t e = lane; e < all->B; e += lanes) example[out->B++] = all->example[e];
    out->example = example;
    for (int i = 0; i < all->n_fields; i++) TRY(pick(&all->field[i], all->B, lane, lanes, arena, &out->field[i]));
    return OK;
}
