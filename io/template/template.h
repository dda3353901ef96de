/* template.h - experiments to begin with, which the program carries: a configuration with comments, a little data, and
 * the commands that run it.
 *
 * A template is one file configs/templates/NAME.txt; the build puts its bytes into the program. Its first line says what
 * data it takes, lines "$ COMMAND" follow, and then files, each behind a line "==> NAME". */
#ifndef IO_TEMPLATE_TEMPLATE_H
#define IO_TEMPLATE_TEMPLATE_H
#include "comm/arena.h"

typedef struct Template {
    const char *name, *text;
} Template;

extern const Template template_table[]; /* made by scripts/embed.cmake, by name; {0} after the last */

typedef struct TemplateFile {
    const char *name, *text; /* name: relative, with / for folders */
    size_t size;
} TemplateFile;

const Template *template_find(const char *name); /* NULL: there is none */
const char *template_name(int i);                /* NULL after the last */
NODISCARD Status template_help(const Template *t, Arena *arena, const char **help);
NODISCARD Status template_commands(const Template *t, Arena *arena, int *n, const char *const **command);
NODISCARD Status template_files(const Template *t, Arena *arena, int *n, const TemplateFile **file);
/* [not collective] All files into the folder, which is made when it is not there: ERR_USAGE before the first is written
 * when one of them is there already. */
NODISCARD Status template_write(const Template *t, Arena *arena, const char *folder);

/* ERR_USAGE when anything has that name. */
NODISCARD Status template_must_be_free(const char *path);

#endif
