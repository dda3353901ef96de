/* checkpoint_store.c - saving, verifying, keeping. */
#include "io/checkpoint/checkpoint_store.h"

#include <stdio.h>
#include <string.h>

#include "io/checkpoint/checkpoint_background.h"
#include "io/checkpoint/checkpoint_index.h"
#include "io/file/file.h"

struct CheckpointStore {
    Arena *arena;
    const char *folder;
    CheckpointKeep keep;
    CheckpointIndex *index;
    Buffer image; /* the file in memory, kept for the next one */
    CheckpointBackground background;
};

Status checkpoint_store_open(CheckpointStore **out, Arena *run, const char *folder, CheckpointKeep keep,
                             Buffer *warnings)
{
    CheckpointStore *s;
    TRY_NEW(s, run, 1);
    TRY_NEW(s->index, run, 1);
    s->arena = run;
    s->keep = keep;
    s->folder = arena_text(run, folder);
    if (!s->folder) return ERR_HOST;
    TRY(file_make_folder(folder));
    const Status st = checkpoint_index_read(s->index, folder);
    if (st == ERR_DATA && warnings)
        TRY(buffer_say(warnings, "%s; the checkpoints it listed will not be removed\n", status_message()));
    if (st != OK && st != ERR_DATA) TRY(st);
    s->index->higher = keep.higher;
    *out = s;
    return OK;
}

typedef struct Compare {
    const Buffer *image;
    size_t at;
    bool same;
} Compare;

static Status compare_piece(void *context, const void *data, size_t size)
{
    Compare *c = context;
    c->same = c->same && size <= c->image->size - c->at && memcmp(c->image->data + c->at, data, size) == 0;
    if (c->same) c->at += size;
    return OK;
}

/* What was written is what is there. */
static Status verify(const char *path, const Buffer *image)
{
    Compare c = {image, 0, true};
    TRY(file_each(path, compare_piece, &c));
    REQUIRE(c.same && c.at == image->size, ERR_IO, "%s: read back with other bytes than were written, from byte %zu on",
            path, c.at);
    return OK;
}

/* Only what the index lists, and only while it has the size that was written. */
static Status remove_file(const CheckpointEntry *e, const char *path)
{
    int64_t bytes = -1;
    if (file_exists(path)) TRY(file_size(path, &bytes));
    return bytes == e->bytes ? file_remove(path) : OK;
}

static Status remove_entry(CheckpointStore *s, int i)
{
    Buffer path = {0};
    const CheckpointEntry *e = &s->index->entry[i];
    Status st = buffer_format(&path, "%s/%s", s->folder, e->file);
    if (st == OK) st = remove_file(e, path.data);
    buffer_close(&path);
    TRY(st);
    checkpoint_index_remove(s->index, i);
    return OK;
}

static Status remove_older(CheckpointStore *s, int64_t now)
{
    bool stays[CHECKPOINT_ENTRIES], any = false;
    checkpoint_index_choose(s->index, s->keep, now, stays);
    for (int i = s->index->n - 1; i >= 0; i--) {
        if (stays[i]) continue;
        TRY(remove_entry(s, i));
        any = true;
    }
    return any ? checkpoint_index_write(s->index, s->folder) : OK;
}

static Status write_file(CheckpointStore *s, const Checkpoint *c, const char *path, CheckpointEntry *e)
{
    TRY(checkpoint_image(c, path, &s->image, e->digest));
    e->bytes = (int64_t)s->image.size;
    TRY(file_need_space(s->folder, e->bytes));
    TRY(file_write(path, s->image.data, s->image.size));
    return verify(path, &s->image);
}

static Status save_entry(CheckpointStore *s, const Checkpoint *c, CheckpointEntry *e, Buffer *path)
{
    TRY(buffer_format(path, "%s/%s", s->folder, e->file));
    TRY(write_file(s, c, path->data, e));
    s->index->best_from = c->best_from;
    TRY(checkpoint_index_add(s->index, e));
    TRY(checkpoint_index_write(s->index, s->folder));
    return remove_older(s, c->step);
}

static Status save_now(void *context, const Checkpoint *c, double metric)
{
    CheckpointStore *s = context;
    CheckpointEntry e = {.step = c->step, .metric = metric, .loss = c->loss};
    Checkpoint with = *c;
    with.metric = metric; /* so that the list can be made again from the files */
    with.higher = s->keep.higher;
    Buffer path = {0};
    REQUIRE(c->step >= 0 && c->step < 1000000000000, ERR_INTERNAL, "a checkpoint of step %lld", (long long)c->step);
    snprintf(e.file, sizeof e.file, "step-%09lld.h5", (long long)c->step);
    const Status st = save_entry(s, &with, &e, &path);
    buffer_close(&path);
    return st;
}

Status checkpoint_store_save(CheckpointStore *s, const Checkpoint *c, double metric)
{
    int64_t step;
    TRY(checkpoint_background_wait(&s->background, &step));
    TRY(save_now(s, c, metric));
    return OK;
}

Status checkpoint_store_begin(CheckpointStore *s, const Checkpoint *c, double metric)
{
    int64_t step;
    TRY(checkpoint_background_wait(&s->background, &step));
    TRY(checkpoint_check_finite(c)); /* now, while the caller can still tell which step and which examples */
    TRY(checkpoint_background_start(&s->background, c, metric, save_now, s));
    return OK;
}

Status checkpoint_store_poll(CheckpointStore *s, int64_t *step)
{
    TRY(checkpoint_background_poll(&s->background, step));
    return OK;
}

Status checkpoint_store_wait(CheckpointStore *s, int64_t *step)
{
    TRY(checkpoint_background_wait(&s->background, step));
    return OK;
}

void checkpoint_store_close(CheckpointStore *s)
{
    if (!s) return;
    checkpoint_background_close(&s->background);
    buffer_close(&s->image);
}

int checkpoint_store_list(const CheckpointStore *s, const CheckpointEntry **entry)
{
    *entry = s->index->entry;
    return s->index->n;
}
