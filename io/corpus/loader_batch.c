/* loader_batch.c - the share of a batch, packed: no padding. */
#include <string.h>

#include "io/corpus/loader_parts.h"

/* One field of the batch while it is counted, and again while it is filled. */
typedef struct Packing {
    int field, levels;
    size_t bytes;       /* of the values of one unit of the last level */
    const int64_t *cap; /* units per parent at each level; 0: all */
    int64_t count[RAGGED_LEVELS + 1];
    int64_t *offset[RAGGED_LEVELS]; /* NULL while counting */
    char *values;
} Packing;

/* Units [begin, end) of level l of a piece, with all below them. */
static void walk(Packing *p, const ShardPiece *piece, int l, int64_t begin, int64_t end)
{
    if (l == p->levels) {
        const int64_t at = p->count[l] - (end - begin);
        const char *from = piece->values[p->field];
        if (p->values)
            memcpy(p->values + p->bytes * (size_t)at, from + p->bytes * (size_t)begin,
                   p->bytes * (size_t)(end - begin));
        return;
    }
    const int64_t *offset = piece->offset[p->field][l];
    int64_t at = p->count[l] - (end - begin);
    for (int64_t u = begin; u < end; u++) {
        const int64_t first = offset[u], cap = p->cap[l];
        int64_t last = offset[u + 1];
        if (cap > 0 && last - first > cap) last = first + cap;
        p->count[l + 1] += last - first;
        if (p->offset[l]) p->offset[l][++at] = p->count[l + 1];
        walk(p, piece, l + 1, first, last);
    }
}

static void walk_share(Packing *p, const LoaderWindow *w, int64_t b, const LoaderOptions *o)
{
    memset(p->count, 0, sizeof p->count);
    for (int64_t i = w->batch_start[b] + o->part; i < w->batch_start[b + 1]; i += o->parts) {
        const LoaderSlot *slot = &w->slot[w->item[i]];
        p->count[0]++;
        walk(p, slot->piece, 0, slot->local, slot->local + 1);
    }
}

static Status pack_field(Ragged *out, Arena *arena, const Index *x, int field, const LoaderWindow *w, int64_t b,
                         const LoaderOptions *o)
{
    const DataField *c = &x->field[field];
    int64_t cap[RAGGED_LEVELS];
    field_caps(x->n_fields, x->field, c, o->max_sentences, o->max_words, cap);
    Packing p = {.field = field, .levels = c->levels, .bytes = field_bytes(c), .cap = cap};
    walk_share(&p, w, b, o);
    for (int l = 0; l < c->levels; l++) {
        p.offset[l] = arena_alloc(arena, (size_t)(p.count[l] + 1) * sizeof(int64_t));
        if (!p.offset[l]) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
        p.offset[l][0] = 0;
    }
    p.values = arena_alloc(arena, (size_t)p.count[c->levels] * p.bytes);
    if (!p.values) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    walk_share(&p, w, b, o);

    out->field = c;
    memcpy(out->count, p.count, sizeof p.count);
    for (int l = 0; l < RAGGED_LEVELS; l++) out->offset[l] = p.offset[l];
    out->id = c->type == FIELD_IDS ? (const int32_t *)(const void *)p.values : NULL;
    out->value = c->type == FIELD_FLOATS ? (const float *)(const void *)p.values : NULL;
    return OK;
}

Status loader_pack(Batch *out, Arena *arena, const LoaderSource *s, const LoaderWindow *w, int64_t b,
                   const LoaderOptions *o)
{
    const int64_t all = w->batch_start[b + 1] - w->batch_start[b];
    const int64_t B = all > o->part ? (all - o->part + o->parts - 1) / o->parts : 0;
    int64_t *example;
    TRY_NEW(example, arena, B);
    for (int64_t i = 0; i < B; i++) {
        const LoaderSlot *slot = &w->slot[w->item[w->batch_start[b] + o->part + i * o->parts]];
        example[i] = slot->piece->first + slot->local;
    }
    *out = (Batch){.B = B, .all = all, .example = example, .n_fields = s->index->n_fields};
    for (int f = 0; f < s->index->n_fields; f++) TRY(pack_field(&out->field[f], arena, s->index, f, w, b, o));
    return OK;
}
