/* template.c - a template taken apart, and written into a folder. */
#include "io/template/template.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "io/file/file.h"

static const char mark[] = "==> ", prompt[] = "$ ";

const Template *template_find(const char *name)
{
    for (const Template *t = template_table; t->name; t++)
        if (strcmp(t->name, name) == 0) return t;
    return NULL;
}

const char *template_name(int i) { return template_table[i].name; }

/* The line at *at, without its end; *at becomes the next one, NULL after the last. */
static size_t take_line(const char **at)
{
    const char *end = strchr(*at, '\n');
    const size_t size = end ? (size_t)(end - *at) : strlen(*at);
    *at = end && end[1] ? end + 1 : NULL;
    return size;
}

static bool begins(const char *line, const char *with) { return line && strncmp(line, with, strlen(with)) == 0; }

static Status copy(Arena *arena, const char *text, size_t size, const char **out)
{
    *out = arena_format(arena, "%.*s", (int)size, text);
    return *out ? OK : status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
}

Status template_help(const Template *t, Arena *arena, const char **help)
{
    const char *at = t->text;
    const size_t size = take_line(&at);
    return copy(arena, t->text, size, help);
}

static int count(const char *text, const char *with)
{
    int n = 0;
    for (const char *at = text, *line = text; at; line = at) {
        n += begins(line, with);
        (void)take_line(&at);
    }
    return n;
}

Status template_commands(const Template *t, Arena *arena, int *n, const char *const **command)
{
    const char **list, *at = t->text;
    TRY_NEW(list, arena, count(t->text, prompt));
    (void)take_line(&at);
    for (*n = 0; begins(at, prompt);) {
        const char *line = at + strlen(prompt);
        const size_t size = take_line(&at) - strlen(prompt);
        TRY(copy(arena, line, size, &list[(*n)++]));
    }
    *command = list;
    return OK;
}

Status template_files(const Template *t, Arena *arena, int *n, const TemplateFile **file)
{
    TemplateFile *list, *last = NULL;
    TRY_NEW(list, arena, count(t->text, mark));
    *n = 0;
    for (const char *at = t->text, *line = at; line; line = at) {
        const size_t size = take_line(&at);
        if (begins(line, mark)) {
            last = &list[(*n)++];
            TRY(copy(arena, line + strlen(mark), size - strlen(mark), &last->name));
            last->text = at ? at : "";
            last->size = 0;
        } else if (last) {
            last->size = (size_t)((at ? at : line + strlen(line)) - last->text);
        }
    }
    REQUIRE(*n > 0, ERR_INTERNAL, "template %s has no file", t->name);
    *file = list;
    return OK;
}

static Status path_of(Arena *arena, const char *folder, const char *name, const char **path)
{
    *path = strcmp(folder, ".") == 0 ? name : arena_format(arena, "%s/%s", folder, name);
    return *path ? OK : status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
}

/* Whatever has the name, a folder or a link to nothing too, is not ours. */
Status template_must_be_free(const char *path)
{
    struct stat info;
    if (lstat(path, &info) != 0 && errno == ENOENT) return OK;
    FAIL(ERR_USAGE, "%s is there already, and nothing is overwritten: name another folder", path);
}

static Status write_one(const TemplateFile *f, Arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/'), *folder;
    if (slash && slash > path) {
        TRY(copy(arena, path, (size_t)(slash - path), &folder));
        TRY(file_make_folder(folder));
    }
    return file_write(path, f->text, f->size);
}

Status template_write(const Template *t, Arena *arena, const char *folder)
{
    int n;
    const TemplateFile *file;
    const char *path;
    TRY(template_files(t, arena, &n, &file));
    for (int i = 0; i < n; i++) {
        TRY(path_of(arena, folder, file[i].name, &path));
        TRY(template_must_be_free(path));
    }
    for (int i = 0; i < n; i++) {
        TRY(path_of(arena, folder, file[i].name, &path));
        TRY(write_one(&file[i], arena, path));
    }
    return OK;
}
