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
    json_put_number(j, "loss", e->loss);
    json_put_text(j, "digest", e->digest);
    json_end(j);
    return OK;
}

/* digest: NULL: without it, as it is hashed. */
static Status build(const CheckpointIndex *x, const char *digest, Buffer *text)
{
    Json j = json_begin(text);
    json_open_object(&j);
    if (digest) json_put_text(&j, "xxh3", digest);
    json_put_bool(&j, "higher_is_better", x->higher);
    if (x->best_from > 0) json_put_int(&j, "best_from", x->best_from);
    json_key(&j, "files");
    json_open_array(&j);
    for (int i = 0; i < x->n; i++) TRY(write_entry(&j, &x->entry[i]));
    json_end(&j);
    json_end(&j);
    TRY(json_finish(&j));
    return buffer_text(text, "\n");
}

static Status digest_of(const CheckpointIndex *x, char hex[HASH_HEX])
{
    Buffer text = {0};
    const Status st = build(x, NULL, &text);
    if (st == OK) hash_bytes(text.data, text.size, hex);
    buffer_close(&text);
    return st;
}

Status checkpoint_index_write(const CheckpointIndex *x, const char *folder)
{
    Buffer text = {0}, path = {0};
    char hex[HASH_HEX];
    Status st = digest_of(x, hex);
    if (st == OK) st = build(x, hex, &text);
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
    const json_t *metric = json_object_get(item, "metric"), *loss = json_object_get(item, "loss");
    REQUIRE(file && digest && json_is_integer(step) && json_is_integer(bytes) && strlen(file) < CHECKPOINT_FILE &&
                strlen(digest) < HASH_HEX && strncmp(file, "step-", 5) == 0 && !strchr(file, '/'),
            ERR_DATA, "%s: damaged: an entry without file, step, bytes or digest", path);
    CheckpointEntry e = {.step = (int64_t)json_integer_value(step), .bytes = (int64_t)json_integer_value(bytes)};
    e.metric = json_is_number(metric) ? json_number_value(metric) : (double)NAN;
    e.loss = json_is_number(loss) ? json_number_value(loss) : (double)NAN;
    memcpy(e.file, file, strlen(file) + 1);
    memcpy(e.digest, digest, strlen(digest) + 1);
    return checkpoint_index_add(x, &e);
}

static Status parse(CheckpointIndex *x, const char *path, const json_t *root)
{
    const json_t *files = json_object_get(root, "files");
    REQUIRE(json_is_array(files), ERR_DATA, "%s: damaged: no list of files", path);
    x->higher = json_is_true(json_object_get(root, "higher_is_better"));
    x->best_from = json_integer_value(json_object_get(root, "best_from"));
    for (size_t i = 0; i < json_array_size(files); i++) TRY(parse_entry(x, path, json_array_get(files, i)));
    const char *expected = json_string_value(json_object_get(root, "xxh3"));
    char hex[HASH_HEX];
    TRY(digest_of(x, hex));
    REQUIRE(!expected || strcmp(hex, expected) == 0, ERR_DATA, "%s: damaged: found digest %s, expected %s", path, hex,
            expected);
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

/* --- What the list lacks, or all of a damaged one, from the checkpoints themselves --- */

/* What is no checkpoint, or a damaged one, is passed over: who reads it will tell. */
static Status restore_one(CheckpointIndex *x, const char *folder, const char *name, Arena *arena)
{
    CheckpointHead head;
    const char *path = arena_format(arena, "%s/%s", folder, name);
    if (!path) return ERR_HOST;
    if (strncmp(name, "step-", 5) != 0 || strlen(name) >= CHECKPOINT_FILE) return OK;
    if (checkpoint_head(path, arena, &head) != OK || strlen(head.digest) >= HASH_HEX) return OK;
    CheckpointEntry e = {.step = head.step, .bytes = -1, .metric = head.metric, .loss = head.loss};
    memcpy(e.file, name, strlen(name) + 1);
    memcpy(e.digest, head.digest, strlen(head.digest) + 1);
    if (!isnan(head.metric)) x->higher = head.higher;
    if (head.best_from > x->best_from) x->best_from = head.best_from;
    return checkpoint_index_add(x, &e);
}

static bool is_listed(const CheckpointIndex *x, const char *name)
{
    for (int i = 0; i < x->n; i++)
        if (strcmp(x->entry[i].file, name) == 0) return true;
    return false;
}

static Status restore_all(CheckpointIndex *x, const char *folder, Arena *arena)
{
    int n;
    const char *const *name;
    TRY(file_list(folder, ".h5", arena, &n, &name));
    for (int i = 0; i < n && x->n < CHECKPOINT_ENTRIES; i++)
        if (!is_listed(x, name[i])) TRY(restore_one(x, folder, name[i], arena));
    return OK;
}

static Status complete(CheckpointIndex *x, const char *folder)
{
    Arena arena = {0};
    const Status st = file_is_folder(folder) ? restore_all(x, folder, &arena) : OK;
    arena_close(&arena);
    return st;
}

/* ERR_DATA, with the message that there is, once the list is made again. */
static Status restore(CheckpointIndex *x, const char *folder)
{
    Arena arena = {0};
    const char *report = arena_text(&arena, status_text());
    x->n = 0;
    x->best_from = 0;
    const Status st = report ? restore_all(x, folder, &arena) : ERR_HOST;
    const Status told = st == OK ? status_adopt(ERR_DATA, report) : st;
    arena_close(&arena);
    return told;
}

Status checkpoint_index_read(CheckpointIndex *x, const char *folder)
{
    Buffer text = {0}, path = {0};
    x->higher = false;
    x->best_from = 0;
    x->n = 0;
    Status st = buffer_format(&path, "%s/%s", folder, CHECKPOINT_INDEX);
    if (st == OK) st = read_if_there(x, path.data, &text);
    buffer_close(&text);
    buffer_close(&path);
    return st == ERR_DATA ? restore(x, folder) : st == OK ? complete(x, folder) : st;
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

/* Of equal ones that with the lower loss, then the earlier. */
static bool better(const CheckpointIndex *x, int a, int b)
{
    if (b < 0) return true;
    const CheckpointEntry *l = &x->entry[a], *r = &x->entry[b];
    if (l->metric < r->metric || l->metric > r->metric) return x->higher == (l->metric > r->metric);
    return l->loss < r->loss;
}

static int best_of(const CheckpointIndex *x, const bool *taken)
{
    int best = -1;
    for (int i = 0; i < x->n; i++)
        if (isfinite(x->entry[i].metric) && x->entry[i].step >= x->best_from && !(taken && taken[i]) &&
            better(x, i, best))
            best = i;
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
