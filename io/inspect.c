/* inspect.c - which of our files it is, by its own word; the part that wrote it says the rest. */
#include "io/inspect.h"

#include <stdio.h>
#include <string.h>

#include "io/attention/attention.h"
#include "io/checkpoint/checkpoint_store.h"
#include "io/corpus/inspect.h"
#include "io/file/file.h"
#include "io/h5/h5.h"
#include "io/record/run.h"

static Status read_format(const char *path, Arena *arena, const char **format)
{
    H5 *h = NULL;
    TRY(h5_open(&h, path, 0));
    const Status st = h5_get_text(h, "/", "format", arena, format);
    h5_close(h);
    return st;
}

static Status inspect_file(const char *path, Arena *arena, Buffer *text)
{
    const char *format = NULL;
    TRY(read_format(path, arena, &format));
    if (strcmp(format, "mneme-checkpoint") == 0) return checkpoint_inspect(path, text);
    if (strcmp(format, "mneme-attention") == 0) return attention_inspect(path, text);
    FAIL(ERR_DATA, "%s: format %s is not one of ours", path, format);
}

/* ERR_DATA: the list of checkpoints is damaged. */
static Status check_index(const char *folder, Arena *arena)
{
    Buffer damage = {0};
    const Status st = checkpoint_check_index(folder, arena, &damage);
    const Status told =
        st == OK && damage.size ? status_fail(ERR_DATA, __FILE__, __LINE__, __func__, "%s", damage.data) : st;
    buffer_close(&damage);
    return told;
}

/* The folder of a run: how far it is, and its newest checkpoint. */
static Status inspect_run(const char *path, Arena *arena, Buffer *text)
{
    int64_t step = -1;
    const char *state = NULL, *newest = NULL;
    TRY(run_folder_finished(path, arena, &step, &state));
    if (step >= 0)
        TRY(buffer_say(text, "run %s: finished at step %lld\n", path, (long long)step));
    else
        TRY(buffer_say(text, "run %s: not finished\n", path));
    const char *folder = arena_format(arena, "%s/checkpoints", path);
    REQUIRE(folder, ERR_HOST, "%s", status_message());
    Buffer warnings = {0};
    const bool there = file_is_folder(folder);
    if (there) TRY(check_index(folder, arena));
    Status st = there ? checkpoint_newest(folder, arena, &newest, &warnings) : OK;
    if (st == OK && warnings.size) st = buffer_text(text, warnings.data);
    buffer_close(&warnings);
    TRY(st);
    return newest ? checkpoint_inspect(newest, text) : buffer_text(text, "no checkpoint\n");
}

Status inspect_path(const char *path, Arena *arena, Buffer *text)
{
    if (corpus_knows(path)) return corpus_inspect(path, text);
    if (!file_is_folder(path)) return inspect_file(path, arena, text);
    const char *config = arena_format(arena, "%s/config.yaml", path);
    REQUIRE(config, ERR_HOST, "%s", status_message());
    REQUIRE(file_exists(config), ERR_DATA, "%s: neither a corpus nor a run: there is no index.json and no config.yaml",
            path);
    return inspect_run(path, arena, text);
}
