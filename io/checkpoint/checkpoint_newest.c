/* checkpoint_newest.c - from which checkpoint a run goes on. Declared in checkpoint_store.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/checkpoint/checkpoint_index.h"
#include "io/file/file.h"

/* The step in a name "step-000001234.h5", or -1. */
static int64_t step_of(const char *name)
{
    char *end;
    if (strncmp(name, "step-", 5) != 0 || name[5] < '0' || name[5] > '9') return -1;
    const long long step = strtoll(name + 5, &end, 10);
    return strcmp(end, ".h5") == 0 ? (int64_t)step : -1;
}

/* The name with the highest step below `below`, or NULL. Steps may have more digits than others: not by bytes. */
static const char *next_below(int n, const char *const *name, int64_t below)
{
    const char *found = NULL;
    int64_t highest = -1;
    for (int i = 0; i < n; i++) {
        const int64_t step = step_of(name[i]);
        if (step < 0 || step >= below || step <= highest) continue;
        highest = step;
        found = name[i];
    }
    return found;
}

/* Damage and unreadable blocks are passed over; a newer format and lack of memory are not. */
static Status try_one(const char *path, Buffer *warnings, bool *good)
{
    const Status st = checkpoint_verify(path);
    *good = st == OK;
    if (st != ERR_DATA && st != ERR_IO && st != ERR_INPUT) return st;
    return warnings ? buffer_say(warnings, "%s\n", status_message()) : OK;
}

static Status search(const char *folder, Arena *arena, const char **path, Buffer *warnings)
{
    int n, bad = 0;
    const char *const *name;
    TRY(file_list(folder, ".h5", arena, &n, &name));
    for (const char *at = next_below(n, name, INT64_MAX); at; at = next_below(n, name, step_of(at))) {
        bool good;
        const char *file = arena_format(arena, "%s/%s", folder, at);
        if (!file) return ERR_HOST;
        TRY(try_one(file, warnings, &good));
        if (good) {
            *path = file;
            return OK;
        }
        bad++;
    }
    REQUIRE(bad == 0 || warnings, ERR_DATA, "%s: none of its %d checkpoints can be used, they are damaged", folder,
            bad);
    REQUIRE(bad == 0, ERR_DATA, "%s: none of its %d checkpoints can be used, they are damaged:\n%s", folder, bad,
            warnings->data);
    return OK;
}

Status checkpoint_newest(const char *folder, Arena *arena, const char **path, Buffer *warnings)
{
    *path = NULL;
    if (!file_is_folder(folder)) return OK;
    TRY(search(folder, arena, path, warnings));
    return OK;
}

Status checkpoint_check_index(const char *folder, Arena *arena, Buffer *warnings)
{
    CheckpointIndex *x;
    TRY_NEW(x, arena, 1);
    const Status st = checkpoint_index_read(x, folder);
    if (st == ERR_DATA) return buffer_format(warnings, "%s\n", status_message());
    TRY(st);
    return OK;
}

Status checkpoint_best(const char *folder, Arena *arena, const char **path)
{
    CheckpointIndex *x;
    *path = NULL;
    TRY_NEW(x, arena, 1);
    const Status st = checkpoint_index_read(x, folder);
    if (st != ERR_DATA) TRY(st);
    const int best = checkpoint_index_best(x);
    if (best < 0) return OK;
    *path = arena_format(arena, "%s/%s", folder, x->entry[best].file);
    return *path ? OK : ERR_HOST;
}
