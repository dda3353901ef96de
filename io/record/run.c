/* run.c - a run's folder. */
#include "io/record/run.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/file/file.h"
#include "io/file/hash.h"
#include "io/format/json.h"

struct RunFolder {
    Arena *arena;
    const char *path, *checkpoints, *previous;
    FileLock *lock;
};

/* All that a run writes at the top of its folder. The checkpoints go last: while they are there, the run is there. */
static const char *const own[] = {"metrics.jsonl",  "metrics.csv", "events",           "report.html",   "attention.h5",
                                  "attention.html", "command.txt", "environment.json", "finished.json", "classes.json",
                                  "config.yaml",    "log.txt",     "checkpoints"};
enum { OWN = sizeof own / sizeof *own };
static const char MOVING[] = ".moving";

static Status join(const RunFolder *f, const char *name, const char **path)
{
    *path = arena_format(f->arena, "%s/%s", f->path, name);
    return *path ? OK : status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
}

static bool is_there(const char *path) { return file_exists(path) || file_is_folder(path); }

/* Move all of an older run into a folder RUN/previous-N.moving, then give that its final name. */
static Status complete_move(RunFolder *f, const char *moving)
{
    const char *to = arena_text(f->arena, moving), *from, *inside;
    if (!to) return ERR_HOST;
    for (int i = 0; i < OWN; i++) {
        TRY(join(f, own[i], &from));
        inside = arena_format(f->arena, "%s/%s", moving, own[i]);
        if (!inside) return ERR_HOST;
        if (is_there(from) && !is_there(inside)) TRY(file_rename(from, inside));
    }
    char *final = arena_text(f->arena, moving);
    if (!final) return ERR_HOST;
    final[strlen(final) - strlen(MOVING)] = '\0';
    TRY(file_rename(to, final));
    f->previous = final;
    return OK;
}

static bool is_number_behind(const char *name, const char *prefix, const char *suffix, long *number)
{
    char *end;
    const size_t n = strlen(prefix);
    if (strncmp(name, prefix, n) != 0 || name[n] < '0' || name[n] > '9') return false;
    *number = strtol(name + n, &end, 10);
    return strcmp(end, suffix) == 0;
}

/* *highest = N of the highest previous-N; *moving = an interrupted move, or NULL. */
static Status look_for_moves(RunFolder *f, long *highest, const char **moving)
{
    int n;
    const char *const *name;
    TRY(file_list(f->path, NULL, f->arena, &n, &name));
    *highest = 0;
    *moving = NULL;
    for (int i = 0; i < n; i++) {
        long number;
        if (is_number_behind(name[i], "previous-", "", &number) && number > *highest) *highest = number;
        if (!is_number_behind(name[i], "previous-", MOVING, &number)) continue;
        if (number > *highest) *highest = number;
        TRY(join(f, name[i], moving));
    }
    return OK;
}

static Status move_older(RunFolder *f, bool fresh)
{
    long highest = 0;
    const char *moving = NULL, *path;
    TRY(look_for_moves(f, &highest, &moving));
    if (moving) return complete_move(f, moving);
    bool any = false;
    for (int i = 0; i < OWN && fresh; i++) {
        TRY(join(f, own[i], &path));
        any = any || is_there(path);
    }
    if (!any) return OK;
    moving = arena_format(f->arena, "%s/previous-%ld%s", f->path, highest + 1, MOVING);
    if (!moving) return ERR_HOST;
    TRY(file_make_folder(moving));
    return complete_move(f, moving);
}

static Status prepare(RunFolder *f, bool fresh)
{
    TRY(move_older(f, fresh));
    TRY(join(f, "checkpoints", &f->checkpoints));
    return file_make_folder(f->checkpoints);
}

Status run_folder_open(RunFolder **out, Arena *run, const char *path, bool fresh)
{
    RunFolder *f;
    const char *lock;
    TRY_NEW(f, run, 1);
    f->arena = run;
    f->path = arena_text(run, path);
    if (!f->path) return ERR_HOST;
    TRY(join(f, "lock", &lock));
    TRY(file_make_folder(path));
    TRY(file_lock(&f->lock, lock));
    const Status st = prepare(f, fresh);
    if (st != OK) file_unlock(f->lock);
    TRY(st);
    *out = f;
    return OK;
}

void run_folder_close(RunFolder *f)
{
    if (!f) return;
    file_unlock(f->lock);
    f->lock = NULL;
}

const char *run_folder_path(const RunFolder *f) { return f->path; }
const char *run_folder_checkpoints(const RunFolder *f) { return f->checkpoints; }
const char *run_folder_previous(const RunFolder *f) { return f->previous; }

static Status write_here(const RunFolder *f, const char *name, const void *data, size_t size)
{
    const char *path;
    TRY(join(f, name, &path));
    return file_write(path, data, size);
}

static Status write_facts(const RunFolder *f, int n, const RunFact *fact, Buffer *text)
{
    Json j = json_begin(text);
    json_open_object(&j);
    for (int i = 0; i < n; i++) json_put_text(&j, fact[i].name, fact[i].value);
    json_end(&j);
    TRY(json_finish(&j));
    TRY(buffer_text(text, "\n"));
    return write_here(f, "environment.json", text->data, text->size);
}

Status run_folder_describe(const RunFolder *f, const char *config, size_t config_size, int n_facts, const RunFact *fact,
                           const char *command)
{
    Buffer text = {0};
    Status st = write_facts(f, n_facts, fact, &text);
    text.size = 0;
    if (st == OK) st = buffer_format(&text, "%s\n", command);
    if (st == OK) st = write_here(f, "command.txt", text.data, text.size);
    buffer_close(&text);
    TRY(st);
    return write_here(f, "config.yaml", config, config_size);
}

static Status quote(Buffer *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
    if (word[0] && !word[strspn(word, plain)]) return buffer_text(out, word);
    TRY(buffer_text(out, "'"));
    for (const char *p = word; *p; p++) TRY(*p == '\'' ? buffer_text(out, "'\\''") : buffer_append(out, p, 1));
    return buffer_text(out, "'");
}

Status run_folder_command(Buffer *out, int n, const char *const *word)
{
    for (int i = 0; i < n; i++) {
        if (i > 0) TRY(buffer_text(out, " "));
        TRY(quote(out, word[i]));
    }
    return OK;
}

static void digest_end(int64_t step, const char *state, char hex[HASH_HEX])
{
    Hash h;
    hash_begin(&h);
    hash_add(&h, &step, sizeof step);
    hash_add(&h, state, strlen(state));
    hash_end(&h, hex);
}

/* state last: its bytes are what the digest is of, as they stand where it is an object, or as the text of a string. */
static Status write_end(const RunFolder *f, int64_t step, const char *state, Buffer *text)
{
    char hex[HASH_HEX];
    digest_end(step, state, hex);
    TRY(buffer_format(text, "{\"step\": %lld, \"xxh3\": \"%s\", \"state\": ", (long long)step, hex));
    if (state[0] == '{') {
        TRY(buffer_text(text, state));
    } else {
        Json j = json_begin(text);
        json_text(&j, state);
        TRY(json_finish(&j));
    }
    TRY(buffer_text(text, "}\n"));
    return write_here(f, "finished.json", text->data, text->size);
}

Status run_folder_finish(const RunFolder *f, int64_t step, const char *state)
{
    Buffer text = {0};
    const Status st = write_end(f, step, state, &text);
    buffer_close(&text);
    return st;
}

/* *out: the state as it was given; "" when there is none. */
static Status state_of(const json_t *root, Buffer *text, Arena *arena, const char **out)
{
    const json_t *state = json_object_get(root, "state");
    const char *said = json_string_value(state);
    *out = said ? arena_text(arena, said) : "";
    if (json_is_object(state)) {
        const char *begin = strstr(text->data, "\"state\": "), *end = strrchr(text->data, '}');
        *out = begin ? arena_format(arena, "%.*s", (int)(end - begin - 9), begin + 9) : "";
    }
    return *out ? OK : status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
}

static Status parse_end(const char *path, const json_t *root, Buffer *text, Arena *arena, int64_t *step,
                        const char **state)
{
    const json_t *at = json_object_get(root, "step");
    const char *expected = json_string_value(json_object_get(root, "xxh3")), *said;
    char hex[HASH_HEX];
    REQUIRE(json_is_integer(at) && json_integer_value(at) >= 0, ERR_DATA,
            "%s: damaged: expected {\"step\": number, \"state\": text}", path);
    TRY(state_of(root, text, arena, &said));
    digest_end((int64_t)json_integer_value(at), said, hex);
    REQUIRE(!expected || strcmp(hex, expected) == 0, ERR_DATA, "%s: damaged: found digest %s, expected %s", path, hex,
            expected);
    *step = (int64_t)json_integer_value(at);
    if (state) *state = said;
    return OK;
}

static Status read_end(const char *path, Arena *arena, int64_t *step, const char **state, Buffer *text)
{
    json_error_t error;
    TRY(file_read(path, 1 << 20, text));
    TRY(buffer_append(text, "", 1)); /* a text, to be searched */
    json_t *root = json_loadb(text->data, text->size - 1, 0, &error);
    const Status st = parse_end(path, root, text, arena, step, state);
    json_decref(root);
    return st;
}

Status run_folder_finished(const char *path, Arena *arena, int64_t *step, const char **state)
{
    *step = -1;
    if (state) *state = "";
    const char *file = arena_format(arena, "%s/finished.json", path);
    if (!file) return ERR_HOST;
    if (!file_exists(file)) return OK;
    Buffer text = {0};
    const Status st = read_end(file, arena, step, state, &text);
    buffer_close(&text);
    return st;
}

Status run_folder_unfinish(const RunFolder *f)
{
    const char *path;
    TRY(join(f, "finished.json", &path));
    return file_remove(path);
}
