/* checkpoint_index.c - checkpoints.json. */
#include "io/checkpoint/checkpoint_index.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "io/file/file.h"
#include "io/format/json.h"

static Status write_entry(Json *j, const CheckpointEntry *e)
{
    json_open_object(j);
    json_put_text(j, "file", e->file);
    json_put_int(j, "step", e->step);
    json_put_int(j, "bytes", e->bytes);
    json_put_number(j, "metric", e->metric); /* null when there is none */
    json_put_text(j, "digest", e->digest);
    json_end(j);
    return OK;
}

static Status build(const CheckpointIndex *x, Buffer *text)
{
    Json j = json_begin(text);
    json_open_object(&j);
    json_put_bool(&j, "higher_is_better", x->higher);
    json_key(&j, "files");
    json_open_array(&j);
    for (int i = 0; i < x->n; i++) TRY(write_entry(&j, &x->entry[i]));
    json_end(&j);
    json_end(&j);
    TRY(json_finish(&j));
    return buffer_text(text, "\n");
}

Status checkpoint_index_write(const CheckpointIndex *x, const char *folder)
{
    Buffer text = {0}, path = {0};
    Status st = build(x, &text);
    if (st == OK) st = buffer_format(&path, "%s/%s", folder, CHECKPOINT_INDEX);
    if (st == OK) st = file_write(path.data, text.data, text.size);
    buffer_close(&text);
    buffer_close(&path);
    return st;
}

static Status parse_entry(CheckpointIndex *x, const char *path, const json_t *item)
{
    const char *file = json_string_value(json_object_get(item, "file"));
    const char *digest = json_string_value(json_object_get(item, "digest"));
    const json_t *step = json_object_get(item, "step"), *bytes = json_object_get(item, "bytes");
    const json_t *metric = json_object_get(item, "metric");
    REQUIRE(file && digest && json_is_integer(step) && json_is_integer(bytes) && strlen(file) < CHECKPOINT_FILE &&
                strlen(digest) < HASH_HEX && strncmp(file, "step-", 5) == 0 && !strchr(file, '/'),
            ERR_DATA, "%s: damaged: an entry without file, step, bytes or digest", path);
    CheckpointEntry e = {.step = (int64_t)json_integer_value(step), .bytes = (int64_t)json_integer_value(bytes)};
    e.metric = json_is_number(metric) ? json_number_value(metric) : (double)NAN;
    memcpy(e.file, file, strlen(file) + 1);
    memcpy(e.digest, digest, strlen(digest) + 1);
    return checkpoint_index_add(x, &e);
}

static Status parse(CheckpointIndex *x, const char *path, const json_t *root)
{
    const json_t *files = json_object_get(root, "files");
    REQUIRE(json_is_array(files), ERR_DATA, "%s: damaged: no list of files", path);
    x->higher = json_is_true(json_object_get(root, "higher_is_better"));
    for (size_t i = 0; i < json_array_size(files); i++) TRY(parse_entry(x, path, json_array_get(files, i)));
    return OK;
}

static Status read_here(CheckpointIndex *x, const char *path, Buffer *text)
{
    json_error_t error;
    TRY(file_read(path, 16 << 20, text));
    json_t *root = json_loadb(text->data, text->size, JSON_REJECT_DUPLICATES, &error);
    REQUIRE(root, ERR_DATA, "%s:%d:%d: %s", path, error.line, error.column, error.text);
    const Status st = parse(x, path, root);
    json_decref(root);
    return st;
}

static Status read_if_there(CheckpointIndex *x, const char *path, Buffer *text)
{
    return file_exists(path) ? read_here(x, path, text) : OK;
}

Status checkpoint_index_read(CheckpointIndex *x, const char *folder)
{
    Buffer text = {0}, path = {0};
    x->higher = false;
    x->n = 0;
    Status st = buffer_format(&path, "%s/%s", folder, CHECKPOINT_INDEX);
    if (st == OK) st = read_if_there(x, path.data, &text);
    buffer_close(&text);
    buffer_close(&path);
    if (st != OK) x->n = 0;
    return st;
}

Status checkpoint_index_add(CheckpointIndex *x, const CheckpointEntry *e)
{
    int at = 0;
    while (at < x->n && x->entry[at].step < e->step) at++;
    if (at == x->n || x->entry[at].step != e->step) {
        REQUIRE(x->n < CHECKPOINT_ENTRIES, ERR_DATA, "%s: more than %d checkpoints", CHECKPOINT_INDEX,
                CHECKPOINT_ENTRIES);
        memmove(&x->entry[at + 1], &x->entry[at], (size_t)(x->n - at) * sizeof *e);
        x->n++;
    }
    x->entry[at] = *e;
    return OK;
}

void checkpoint_index_remove(CheckpointIndex *x, int i)
{
    memmove(&x->entry[i], &x->entry[i + 1], (size_t)(x->n - i - 1) * sizeof *x->entry);
    x->n--;
}

/* Of equal ones the earlier is the better. */
static bool better(const CheckpointIndex *x, int a, int b)
{
    if (b < 0) return true;
    return x->higher ? x->entry[a].metric > x->entry[b].metric : x->entry[a].metric < x->entry[b].metric;
}

static int best_of(const CheckpointIndex *x, const bool *taken)
{
    int best = -1;
    for (int i = 0; i < x->n; i++)
        if (isfinite(x->entry[i].metric) && !(taken && taken[i]) && better(x, i, best)) best = i;
    return best;
}

int checkpoint_index_best(const CheckpointIndex *x) { return best_of(x, NULL); }

void checkpoint_index_choose(const CheckpointIndex *x, CheckpointKeep keep, int64_t now, bool stays[CHECKPOINT_ENTRIES])
{
    int last = keep.last > 1 ? keep.last : 1;
    bool taken[CHECKPOINT_ENTRIES] = {false};
    memset(stays, 0, CHECKPOINT_ENTRIES * sizeof *stays);
    for (int i = x->n - 1; i >= 0; i--) {
        taken[i] = x->entry[i].step > now; /* of a course that was given up: this run resumed before it */
        if (!taken[i] && last-- > 0) stays[i] = true;
    }
    for (int k = 0; k < keep.best; k++) {
        const int best = best_of(x, taken);
        if (best < 0) return;
        taken[best] = stays[best] = true;
    }
}
