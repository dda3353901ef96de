/* attend_files.h - what `mneme attend` writes and prints. Only for that command. */
#ifndef TRAINER_COMMAND_ATTEND_FILES_H
#define TRAINER_COMMAND_ATTEND_FILES_H
#include "io/attention/attention.h"

typedef struct AttendFiles {
    Arena *run;
    const char *output;  /* path without its ending */
    const char *pharaoh; /* file of links; NULL: none */
    bool svg;            /* the pictures of each input, too */
    AttentionReadout links;
} AttendFiles;

/* Files and page of one model, and its tables on standard output. */
NODISCARD Status attend_write(const AttendFiles *f, const AttentionFile *file);
/* n saved files on one page; file (n) for what is read. */
NODISCARD Status attend_join(const AttendFiles *f, int n, const char *const *path, AttentionFile *file);

#endif
