/* config_load.c - rank 0 reads all that a config is made from; every rank gets the same bytes and builds the same. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "io/config/config_parts.h"
#include "io/file/file.h"

extern char **environ;

/* --- Paths: relative ones count from the folder of the file that says them. --- */

const char *config_folder(Arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash) return ".";
    if (slash == path) return "/";
    return arena_format(arena, "%.*s", (int)(slash - path), path);
}

const char *config_include_name(Arena *arena, const char *including, const char *included)
{
    const char *slash = strrchr(including, '/');
    if (*included == '/' || !slash) return included;
    return arena_format(arena, "%.*s/%s", (int)(slash - including), including, included);
}

/* base is absolute and without links, so that each leading ../ is its parent. */
const char *config_path(Arena *arena, const char *base, const char *path)
{
    if (!base || *path == '/' || *path == '\0' || strcmp(path, "-") == 0) return path;
    size_t keep = strlen(base);
    while (keep > 1 && base[keep - 1] == '/') keep--;
    for (;;) {
        const bool up = strncmp(path, "..", 2) == 0 && (path[2] == '/' || !path[2]);
        const bool here = path[0] == '.' && (path[1] == '/' || !path[1]);
        if (!up && !here) break;
        path += up ? 2 : 1;
        path += strspn(path, "/");
        while (up && keep > 1 && base[keep - 1] != '/') keep--;
        while (up && keep > 1 && base[keep - 1] == '/') keep--;
    }
    const bool root = keep == 1 && base[0] == '/';
    return arena_format(arena, "%.*s%s%s", (int)keep, base, root || !*path ? "" : "/", path);
}

const char *config_home(Arena *arena, const char *home, const char *path, const char **fault)
{
    *fault = NULL;
    if (*path != '~') return path;
    if (path[1] && path[1] != '/')
        *fault = "of the folders of users only ~ and ~/ are read; ./~ is a name that begins so";
    else if (!home || *home != '/')
        *fault = "~ stands for $HOME, which is not set";
    return *fault ? NULL : arena_format(arena, "%s%s", home, path + 1);
}

/* --- The input as one block of bytes: texts with their length before them, -1 for none. --- */

static Status put(Buffer *b, const char *text, size_t size)
{
    const int64_t n = text ? (int64_t)size : -1;
    TRY(buffer_append(b, &n, sizeof n));
    return text ? buffer_append(b, text, size + 1) : OK;
}

static Status put_text(Buffer *b, const char *text) { return put(b, text, text ? strlen(text) : 0); }

static Status put_all(Buffer *b, int n, const char *const *text)
{
    const int64_t count = n;
    TRY(buffer_append(b, &count, sizeof count));
    for (int i = 0; i < n; i++) TRY(put_text(b, text[i]));
    return OK;
}

static Status pack_input(Buffer *b, const ConfigInput *in)
{
    const int64_t n_files = in->n_files;
    TRY(put_text(b, in->folder));
    TRY(put_text(b, in->home));
    TRY(buffer_append(b, &n_files, sizeof n_files));
    for (int i = 0; i < in->n_files; i++) {
        const ConfigFile *f = &in->file[i];
        TRY(put_text(b, f->name));
        TRY(put_text(b, f->id));
        TRY(put_text(b, f->base));
        TRY(put_text(b, f->error));
        TRY(put(b, f->text, f->size));
    }
    TRY(put_all(b, in->n_env, in->env));
    return put_all(b, in->n_sets, in->set);
}

static int64_t take_number(const char **at)
{
    int64_t n;
    memcpy(&n, *at, sizeof n);
    *at += sizeof n;
    return n;
}

static const char *take(const char **at, size_t *size)
{
    const int64_t n = take_number(at);
    if (n < 0) return NULL;
    const char *text = *at;
    *at += n + 1;
    if (size) *size = (size_t)n;
    return text;
}

static Status take_all(const char **at, Arena *run, int *n, const char *const **out)
{
    const char **text;
    *n = (int)take_number(at);
    TRY_NEW(text, run, *n);
    for (int i = 0; i < *n; i++) text[i] = take(at, NULL);
    *out = text;
    return OK;
}

/* The texts stay in the block. */
static Status unpack_input(ConfigInput *in, Arena *run, const char *at)
{
    in->folder = take(&at, NULL);
    in->home = take(&at, NULL);
    in->n_files = (int)take_number(&at);
    for (int i = 0; i < in->n_files; i++) {
        ConfigFile *f = &in->file[i];
        f->name = take(&at, NULL);
        f->id = take(&at, NULL);
        f->base = take(&at, NULL);
        f->error = take(&at, NULL);
        f->text = take(&at, &f->size);
    }
    TRY(take_all(&at, run, &in->n_env, &in->env));
    return take_all(&at, run, &in->n_sets, &in->set);
}

/* --- What rank 0 finds. --- */

static Status read_bytes(ConfigFile *f, Arena *run, Buffer *text)
{
    const Status st = file_read(f->name, YAML_BYTES, text);
    if (st == ERR_DATA) FAIL(ERR_CONFIG, "%s", status_message()); /* too large for a config */
    TRY(st);
    char *copy = arena_alloc(run, text->size + 1);
    if (!copy) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    if (text->size) memcpy(copy, text->data, text->size);
    copy[text->size] = '\0';
    f->text = copy;
    f->size = text->size;
    return OK;
}

/* Without links, so that a file and a folder have one name. NULL with a report only when memory is lacking. */
static const char *real_name(Arena *run, const char *path)
{
    char real[PATH_MAX];
    return arena_text(run, realpath(path, real) ? real : path);
}

static Status read_file(ConfigFile *f, Arena *run)
{
    Buffer text = {0};
    Status st = read_bytes(f, run, &text);
    buffer_close(&text);
    TRY(st);
    const char *folder = config_folder(run, f->name);
    f->base = folder ? real_name(run, folder) : NULL;
    f->id = real_name(run, f->name);
    return f->base && f->id ? OK : status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
}

/* A file that is included and cannot be read is a fault of the line that includes it. */
static Status add_file(ConfigInput *in, Arena *run, const char *name)
{
    for (int i = 0; i < in->n_files; i++)
        if (strcmp(in->file[i].name, name) == 0) return OK;
    if (in->n_files == CONFIG_FILES) return OK; /* config_collect says so */
    ConfigFile *f = &in->file[in->n_files++];
    *f = (ConfigFile){.name = name};
    const Status st = read_file(f, run);
    if (st == OK || st == ERR_HOST) return st;
    const char *text = status_message();
    const size_t skip = strlen(name) + 2; /* the name and ": " */
    f->error = arena_text(run, strlen(text) > skip ? text + skip : text);
    f->text = NULL;
    return f->error ? OK : status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
}

static Status add_include(ConfigInput *in, Arena *run, const char *including, const YamlNode *node)
{
    if (node->kind != YAML_TEXT || !*node->text) return OK;
    const char *fault, *path = config_home(run, in->home, node->text, &fault);
    if (fault) return OK;
    const char *name = path ? config_include_name(run, including, path) : NULL;
    if (!name) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    return add_file(in, run, name);
}

/* Faults in a file are found again, and reported, by config_collect. */
static Status add_includes(ConfigInput *in, Arena *run, const ConfigFile *f)
{
    YamlNode *root;
    const Status st = yaml_read(&root, run, f->name, f->text, f->size);
    if (st == ERR_CONFIG) return OK;
    TRY(st);
    int left = CONFIG_FILES;
    for (const YamlNode *key = root->kind == YAML_MAP ? root->first : NULL; key; key = key->next) {
        if (strcmp(key->text, "include") != 0) continue;
        if (key->value->kind == YAML_TEXT) TRY(add_include(in, run, f->name, key->value));
        if (key->value->kind != YAML_LIST) continue;
        for (const YamlNode *item = key->value->first; item && left > 0; item = item->next, left--)
            TRY(add_include(in, run, f->name, item));
    }
    return OK;
}

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static Status find_env(ConfigInput *in, Arena *run)
{
    static const char prefix[] = "MNEME_";
    int count = 0;
    for (char **e = environ; e && *e; e++) count += strncmp(*e, prefix, sizeof prefix - 1) == 0;
    const char **env;
    TRY_NEW(env, run, count);
    for (char **e = environ; e && *e && in->n_env < count; e++)
        if (strncmp(*e, prefix, sizeof prefix - 1) == 0) env[in->n_env++] = *e;
    if (count) qsort(env, (size_t)count, sizeof *env, by_text);
    in->env = env;
    return OK;
}

static Status gather(Buffer *blob, Arena *run, const char *path, int n_sets, const char *const *sets)
{
    ConfigInput *in;
    TRY_NEW(in, run, 1);
    in->folder = real_name(run, ".");
    if (!in->folder) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    in->home = getenv("HOME");
    in->n_sets = n_sets;
    in->set = sets;
    in->n_files = 1;
    in->file[0] = (ConfigFile){.name = path};
    TRY(read_file(&in->file[0], run));
    for (int i = 0; i < in->n_files; i++)
        if (in->file[i].text) TRY(add_includes(in, run, &in->file[i]));
    TRY(find_env(in, run));
    return pack_input(blob, in);
}

static Status agree(Comm *comm, Status st) { return comm ? comm_agree(comm, st) : st; }

/* [collective] The bytes of rank 0 reach everyone. */
static Status share(Comm *comm, Arena *run, const Buffer *blob, const char **out)
{
    int64_t size = (int64_t)blob->size;
    if (comm) TRY(comm_broadcast(comm, &size, sizeof size, 0));
    char *bytes = arena_alloc(run, (size_t)size);
    TRY(agree(comm, bytes ? OK : ERR_HOST));
    if (blob->size) memcpy(bytes, blob->data, blob->size);
    if (comm) TRY(comm_broadcast(comm, bytes, (size_t)size, 0));
    *out = bytes;
    return OK;
}

static Status build(Config **out, Arena *run, const ConfigTable *table, const char *blob)
{
    ConfigInput *in;
    TRY_NEW(in, run, 1);
    TRY(unpack_input(in, run, blob));
    return config_build(out, run, table, in);
}

Status config_load(Config **out, Arena *run, Comm *comm, const ConfigTable *table, const char *path, int n_sets,
                   const char *const *sets)
{
    Buffer blob = {0};
    const char *bytes = NULL;
    const bool root = !comm || comm_rank(comm) == 0;
    Status st = agree(comm, root ? gather(&blob, run, path, n_sets, sets) : OK);
    if (st == OK) st = share(comm, run, &blob, &bytes);
    buffer_close(&blob);
    TRY(st);
    TRY(agree(comm, build(out, run, table, bytes)));
    return OK;
}
