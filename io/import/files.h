/* files.h - which files a split consists of: patterns, and the content of a folder, in byte order. */
#ifndef IO_IMPORT_FILES_H
#define IO_IMPORT_FILES_H
#include "comm/arena.h"
#include "io/config/schema.h"

typedef struct Files {
    int64_t n;
    char **path;
} Files;

/* The files that the patterns (as in a shell: * ? [..]) match: the patterns in the order given, each one's files in
 * byte order. key names the setting in messages. A pattern that matches nothing and a file given twice are faults. */
NODISCARD Status files_match(Files *out, Arena *run, const char *key, const TextList *patterns);
/* Names of the entries of a folder, those that begin with a dot left out. */
NODISCARD Status files_in(Files *out, Arena *run, const char *folder);
const char *files_base(const char *path); /* the part behind the last slash */

#endif
