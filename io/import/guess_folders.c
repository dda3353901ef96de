/* guess_folders.c - documents in one folder a class, perhaps below folders train and test. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "io/import/files.h"
#include "io/import/guess_parts.h"
#include "io/text/check.h"
#include "io/text/lines.h"

typedef struct Class {
    const char *name;
    Files files;
} Class;

typedef struct Classes {
    int64_t n, documents;
    Class *item;
} Classes;

static bool is_kind(const char *path, mode_t kind)
{
    struct stat info;
    return stat(path, &info) == 0 && (info.st_mode & S_IFMT) == kind;
}

/* The entries of the folder that are of the kind, with their paths; n of them. */
static Status entries(Arena *arena, const char *folder, mode_t kind, Files *out)
{
    Files names;
    out->n = 0;
    TRY(files_in(&names, arena, folder));
    TRY_NEW(out->path, arena, names.n);
    for (int64_t i = 0; i < names.n; i++) {
        char *path = arena_format(arena, "%s/%s", folder, names.path[i]);
        if (!path) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
        if (is_kind(path, kind)) out->path[out->n++] = path;
    }
    return OK;
}

/* As the importer takes them. */
static Status list_classes(Classes *out, Arena *arena, const char *root)
{
    Files folders;
    *out = (Classes){0};
    TRY(entries(arena, root, S_IFDIR, &folders));
    TRY_NEW(out->item, arena, folders.n);
    for (int64_t i = 0; i < folders.n; i++) {
        Class *c = &out->item[out->n];
        *c = (Class){.name = files_base(folders.path[i])};
        TRY(entries(arena, folders.path[i], S_IFREG, &c->files));
        REQUIRE(c->files.n > 0, ERR_INPUT, "%s: there is no document in the folder", folders.path[i]);
        out->n++;
        out->documents += c->files.n;
    }
    return OK;
}

/* The first of the folders below path that is there; NULL: none. */
static Status find_folder(Arena *arena, const char *path, const char *const *names, const char **out)
{
    for (*out = NULL; *names; names++) {
        const char *folder = arena_format(arena, "%s/%s", path, *names);
        if (!folder) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
        if (!is_kind(folder, S_IFDIR)) continue;
        *out = folder;
        return OK;
    }
    return OK;
}

static Status find_splits(Guess *g, Arena *arena)
{
    static const char *const train[] = {"train", NULL}, *const valid[] = {"valid", "val", "dev", NULL},
                             *const test[] = {"test", NULL};
    TRY(find_folder(arena, g->path, train, &g->train));
    if (!g->train) {
        g->train = g->path;
        return OK;
    }
    TRY(find_folder(arena, g->path, valid, &g->valid));
    return find_folder(arena, g->path, test, &g->test);
}

static Status read_document(Lines *l, Arena *arena, const char *path, Word *out, size_t *bytes)
{
    Buffer text = {0};
    struct stat info;
    *out = (Word){"", 0};
    if (stat(path, &info) == 0 && info.st_size == 0) return OK; /* without words: counted, not read */
    Status st = lines_open_regular(l, path);
    if (st == OK) st = lines_rest(l, &text);
    if (st == OK) st = text_require(text.data ? text.data : "", text.size, path, 1);
    if (st == OK && text.size > 0) st = guess_keep(arena, text.data, text.size, out);
    lines_close(l);
    *bytes += text.size;
    buffer_close(&text);
    return st;
}

/* Documents in turn of each class, until there are enough. */
static Status read_some(Guess *g, Arena *arena, const Classes *c)
{
    Lines l = {0};
    size_t bytes = 0;
    Status st = OK;
    bool more = true;
    for (int64_t k = 0; more && st == OK; k++) {
        more = false;
        for (int64_t i = 0; i < c->n && st == OK && g->n < GUESS_RECORDS && bytes < GUESS_BYTES; i++) {
            if (k >= c->item[i].files.n) continue;
            Word *row = &g->cell[g->n * GUESS_COLUMNS];
            st = read_document(&l, arena, c->item[i].files.path[k], &row[g->text], &bytes);
            g->n++;
            more = true;
        }
    }
    lines_free(&l);
    return st;
}

Status guess_folders(Guess *g, Arena *arena, const char *path)
{
    Classes c;
    *g = (Guess){.path = path, .text = 0, .label = 1, .n_columns = 2};
    TRY(find_splits(g, arena));
    TRY(list_classes(&c, arena, g->train));
    REQUIRE(c.n >= 2, ERR_DATA, "%s: one folder a class was expected in it, at least two; there are %lld", g->train,
            (long long)c.n);
    REQUIRE(c.documents >= 4, ERR_DATA, "%s: %lld documents are too few to tell what they are", g->train,
            (long long)c.documents);
    TRY_NEW(g->cell, arena, (int64_t)GUESS_RECORDS * GUESS_COLUMNS);
    TRY(read_some(g, arena, &c));
    TRY(guess_measure(g, arena));
    g->seen = g->n == c.documents ? "all of it" : "some documents of each class";
    g->whole = true;
    g->n = c.documents;
    g->column[g->label].distinct = c.n;
    g->least = c.documents;
    for (int64_t i = 0; i < c.n; i++) {
        const int64_t n = c.item[i].files.n;
        if (n < g->least) g->least = n;
        if (n > g->most) g->most = n;
    }
    return OK;
}
