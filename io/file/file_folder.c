/* file_folder.c - making, listing and removing folders; paths. Declared in file.h. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/file/file.h"
#include "io/file/file_fault.h"

static Status make_one(const char *path)
{
    if (file_fault_mkdir(path, 0777) == 0) return OK;
    const int error = errno;
    if (error == EEXIST && file_is_folder(path)) return OK;
    FAIL(ERR_IO, "%s: %s", path, error == EEXIST ? "is in the way of a folder of that name" : strerror(error));
}

Status file_make_folder(const char *path)
{
    char dir[PATH_MAX];
    const size_t n = strlen(path);
    REQUIRE(n > 0 && n < sizeof dir, ERR_IO, "%.80s: a path of %zu bytes cannot be made", path, n);
    memcpy(dir, path, n + 1);
    for (size_t i = 1; i < n; i++) {
        if (dir[i] != '/') continue;
        dir[i] = '\0';
        if (!file_is_folder(dir)) TRY(make_one(dir));
        dir[i] = '/';
    }
    if (!file_is_folder(path)) TRY(make_one(path));
    return OK;
}

static bool wanted(const char *name, const char *suffix)
{
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) return false;
    const size_t n = strlen(name), m = suffix ? strlen(suffix) : 0;
    return n >= m && (m == 0 || memcmp(name + n - m, suffix, m) == 0);
}

/* The names one after the other, each with its 0 byte. */
static Status collect(const char *folder, DIR *d, const char *suffix, Buffer *text, int *n)
{
    for (*n = 0;;) {
        errno = 0;
        const struct dirent *e = readdir(d);
        REQUIRE(e || errno == 0, ERR_IO, "%s: %s", folder, strerror(errno));
        if (!e) return OK;
        if (!wanted(e->d_name, suffix)) continue;
        REQUIRE(*n < INT_MAX, ERR_DATA, "%s: too many files", folder);
        TRY(buffer_append(text, e->d_name, strlen(e->d_name) + 1));
        ++*n;
    }
}

Status file_list(const char *folder, const char *suffix, Arena *arena, int *n, const char *const **names)
{
    DIR *d = opendir(folder);
    REQUIRE(d, ERR_INPUT, "%s: %s", folder, strerror(errno));
    Buffer text = {0};
    Status st = collect(folder, d, suffix, &text, n);
    (void)closedir(d);
    if (st == OK) st = buffer_names(&text, *n, arena, names);
    buffer_close(&text);
    TRY(st);
    return OK;
}

static Status remove_content(const char *folder, DIR *d)
{
    for (;;) {
        char path[PATH_MAX];
        errno = 0;
        const struct dirent *e = readdir(d);
        REQUIRE(e || errno == 0, ERR_IO, "%s: %s", folder, strerror(errno));
        if (!e) return OK;
        if (!wanted(e->d_name, NULL)) continue;
        const int n = snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        REQUIRE(n > 0 && (size_t)n < sizeof path, ERR_IO, "%s: a path in it is too long", folder);
        TRY(file_remove(path));
    }
}

Status file_remove_folder(const char *folder)
{
    DIR *d = opendir(folder);
    if (!d && errno == ENOENT) return OK;
    REQUIRE(d, ERR_IO, "%s: %s", folder, strerror(errno));
    const Status st = remove_content(folder, d);
    (void)closedir(d);
    TRY(st);
    REQUIRE(rmdir(folder) == 0, ERR_IO, "%s: %s", folder, strerror(errno));
    return OK;
}

Status file_absolute(const char *path, Arena *arena, const char **absolute)
{
    char here[PATH_MAX];
    while (path[0] == '.' && path[1] == '/') path += path[2] == '/' ? 1 : 2;
    if (path[0] == '/') {
        *absolute = arena_text(arena, path);
    } else {
        REQUIRE(getcwd(here, sizeof here), ERR_IO, "the working folder: %s", strerror(errno));
        *absolute = strcmp(path, ".") == 0 ? arena_text(arena, here) : arena_format(arena, "%s/%s", here, path);
    }
    return *absolute ? OK : status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
}
