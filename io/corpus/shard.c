/* shard.c - a heap of examples becomes a file. */
#include "io/corpus/shard.h"

#include <stdio.h>
#include <string.h>

Status shard_heap_clear(ShardHeap *h)
{
    const int64_t zero = 0;
    for (int f = 0; f < h->n_fields; f++) {
        ShardField *d = &h->data[f];
        d->values.size = 0;
        for (int l = 0; l < h->field[f].levels; l++) {
            d->offset[l].size = 0;
            d->longest[l] = 0;
            TRY(buffer_append(&d->offset[l], &zero, sizeof zero));
        }
    }
    return OK;
}

void shard_heap_close(ShardHeap *h)
{
    for (int f = 0; f < h->n_fields; f++) {
        for (int l = 0; l < RAGGED_LEVELS; l++) buffer_close(&h->data[f].offset[l]);
        buffer_close(&h->data[f].values);
    }
}

static int64_t last_of(const Buffer *b)
{
    int64_t v;
    memcpy(&v, b->data + b->size - sizeof v, sizeof v);
    return v;
}

Status shard_heap_add(ShardHeap *h, int f, const int64_t *count, const int64_t *const *offset, const void *values)
{
    ShardField *d = &h->data[f];
    const int levels = h->field[f].levels;
    for (int l = 0; l < levels; l++) {
        const int64_t base = last_of(&d->offset[l]);
        TRY(buffer_reserve(&d->offset[l], d->offset[l].size + (size_t)count[l] * sizeof base));
        for (int64_t i = 0; i < count[l]; i++) {
            const int64_t length = offset[l][i + 1] - offset[l][i], end = base + offset[l][i + 1];
            if (length > d->longest[l]) d->longest[l] = length;
            TRY(buffer_append(&d->offset[l], &end, sizeof end));
        }
    }
    TRY(buffer_append(&d->values, values, (size_t)count[levels] * field_bytes(&h->field[f])));
    return OK;
}

int64_t shard_heap_units(const ShardHeap *h, int f, int level) { return last_of(&h->data[f].offset[level - 1]); }

size_t shard_heap_bytes(const ShardHeap *h)
{
    size_t n = 0;
    for (int f = 0; f < h->n_fields; f++) {
        n += h->data[f].values.size;
        for (int l = 0; l < h->field[f].levels; l++) n += h->data[f].offset[l].size;
    }
    return n;
}

static Status write_field(const ShardHeap *h, H5 *file, int f)
{
    const DataField *c = &h->field[f];
    const ShardField *d = &h->data[f];
    char name[NAME_SIZE + 24];
    for (int l = 0; l < c->levels; l++) {
        snprintf(name, sizeof name, "%s/offsets_%d", c->name, l + 1);
        TRY(h5_write_list(file, name, H5_I64, (int64_t)(d->offset[l].size / 8), d->offset[l].data));
    }
    snprintf(name, sizeof name, "%s/values", c->name);
    TRY(h5_write_list(file, name, c->type == FIELD_FLOATS ? H5_F32 : H5_I32, (int64_t)(d->values.size / 4),
                      d->values.data));
    return OK;
}

static Status write_all(const ShardHeap *h, H5 *file, const ShardLabel *label)
{
    TRY(h5_set_text(file, "/", "format", "mneme shard"));
    TRY(h5_set_int(file, "/", "version", SHARD_VERSION));
    TRY(h5_set_text(file, "/", "corpus", label->corpus));
    TRY(h5_set_text(file, "/", "split", label->split));
    TRY(h5_set_int(file, "/", "shard", label->shard));
    TRY(h5_set_int(file, "/", "shards", label->shards));
    TRY(h5_set_int(file, "/", "first", label->first));
    TRY(h5_set_int(file, "/", "examples", label->examples));
    for (int f = 0; f < h->n_fields; f++) TRY(write_field(h, file, f));
    return OK;
}

Status shard_write(const ShardHeap *h, const char *path, const ShardLabel *label)
{
    H5 *file;
    TRY(h5_create(&file, path));
    Status st = write_all(h, file, label);
    if (st == OK) st = h5_save(file, path);
    h5_close(file);
    TRY(st);
    return OK;
}
