/* files.c - names are sorted by bytes, never by the locale or as the file system happens to list them. */
#include "io/import/files.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

static int by_bytes(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

const char *files_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static Status add_path(Files *f, Buffer *list, Arena *run, const char *path)
{
    char *copy = arena_text(run, path);
    if (!copy) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    TRY(buffer_append(list, &copy, sizeof copy));
    f->n++;
    return OK;
}

static Status add_matches(Files *f, Buffer *list, Arena *run, const char *key, const char *pattern)
{
    glob_t found = {0};
    const int code = glob(pattern, GLOB_NOSORT, NULL, &found);
    Status st = code == GLOB_NOSPACE ? ERR_HOST : OK;
    if (code == 0) qsort(found.gl_pathv, found.gl_pathc, sizeof *found.gl_pathv, by_bytes);
    for (size_t i = 0; code == 0 && st == OK && i < found.gl_pathc; i++) st = add_path(f, list, run, found.gl_pathv[i]);
    const size_t n = code == 0 ? found.gl_pathc : 0;
    globfree(&found);
    TRY(st);
    REQUIRE(n > 0, ERR_INPUT, "%s: no file matches %s", key, pattern);
    return OK;
}

static Status match_into(Files *f, Buffer *list, Arena *run, const char *key, const TextList *patterns)
{
    for (int i = 0; i < patterns->n; i++) TRY(add_matches(f, list, run, key, patterns->item[i]));
    TRY_NEW(f->path, run, f->n);
    if (f->n == 0) return OK;
    char **sorted = (char **)(void *)list->data;
    memcpy(f->path, sorted, list->size);
    qsort(sorted, (size_t)f->n, sizeof *sorted, by_bytes);
    for (int64_t i = 1; i < f->n; i++)
        REQUIRE(strcmp(sorted[i - 1], sorted[i]) != 0, ERR_DATA, "%s: the file %s is given twice", key, sorted[i]);
    return OK;
}

Status files_match(Files *out, Arena *run, const char *key, const TextList *patterns)
{
    *out = (Files){0};
    Buffer list = {0};
    const Status st = match_into(out, &list, run, key, patterns);
    buffer_close(&list);
    return st;
}

static Status list_folder(Files *f, Buffer *list, Arena *run, const char *folder, DIR *dir)
{
    for (;;) {
        errno = 0;
        const struct dirent *e = readdir(dir);
        REQUIRE(e || errno == 0, ERR_IO, "%s: %s", folder, strerror(errno));
        if (!e) break;
        if (e->d_name[0] != '.') TRY(add_path(f, list, run, e->d_name));
    }
    TRY_NEW(f->path, run, f->n);
    if (f->n == 0) return OK;
    memcpy(f->path, list->data, list->size);
    qsort(f->path, (size_t)f->n, sizeof *f->path, by_bytes);
    return OK;
}

Status files_in(Files *out, Arena *run, const char *folder)
{
    *out = (Files){0};
    DIR *dir = opendir(folder);
    REQUIRE(dir, ERR_INPUT, "%s: %s", folder, strerror(errno));
    Buffer list = {0};
    const Status st = list_folder(out, &list, run, folder, dir);
    closedir(dir);
    buffer_close(&list);
    return st;
}
