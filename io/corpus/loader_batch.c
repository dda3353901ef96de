/* loader_batch.c - the share of a batch, packed: no padding. */
#include "io/batch/build.h"
#include "io/corpus/loader_parts.h"

/* The examples of a share: first, first + stride, ... of the window. */
typedef struct Share {
    const LoaderWindow *w;
    int64_t first, stride;
} Share;

static const LoaderSlot *slot_of(const Share *s, int64_t i)
{
    return &s->w->slot[s->w->item[s->first + i * s->stride]];
}

static BuildPart part_of(const void *context, int field, int64_t i)
{
    const LoaderSlot *slot = slot_of(context, i);
    return (BuildPart){slot->piece->offset[field], slot->piece->values[field], slot->local};
}

Status loader_pack(Batch *out, Arena *arena, const LoaderSource *s, const LoaderWindow *w, int64_t b,
                   const LoaderOptions *o)
{
    const Index *x = s->index;
    const Share share = {w, w->batch_start[b] + o->part, o->parts};
    const int64_t all = w->batch_start[b + 1] - w->batch_start[b];
    const int64_t B = all > o->part ? (all - o->part + o->parts - 1) / o->parts : 0;
    int64_t *example;
    TRY_NEW(example, arena, B);
    for (int64_t i = 0; i < B; i++) example[i] = slot_of(&share, i)->piece->first + slot_of(&share, i)->local;
    *out = (Batch){.B = B, .all = all, .example = example, .n_fields = x->n_fields};
    for (int f = 0; f < x->n_fields; f++) {
        int64_t cap[RAGGED_LEVELS];
        field_caps(x->n_fields, x->field, &x->field[f], o->max_sentences, o->max_words, cap);
        TRY(build_field(&out->field[f], arena, &x->field[f], cap, B, part_of, &share, f));
    }
    return OK;
}
