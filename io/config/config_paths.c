/* config_paths.c - relative paths of a config count from the folder of the file that says them. */
#include <string.h>

#include "io/config/config_parts.h"

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
