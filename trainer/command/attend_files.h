/* attend_files.h - what `mneme attend` writes and prints. Only for that command. */
#ifndef TRAINER_COMMAND_ATTEND_FILES_H
#define TRAINER_COMMAND_ATTEND_FILES_H
#include "io/attention/attention.h"
#include "trainer/look/hits.h"

typedef struct AttendFiles {
    Arena *run;
    const char *output;  /* path without its ending */
    const char *pharaoh; /* file of links; NULL: none */
    bool svg;            /* a picture for each pair */
    AttentionReadout links;
} AttendFiles;

/* Files and page of one model, and its tables on standard output. */
NODISCARD Status attend_write(const AttendFiles *f, const AttentionFile *file, const Hits *hits);
/* n saved files on one page; file (n) for what is read. */
NODISCARD Status attend_join(const AttendFiles *f, int n, const char *const *path, AttentionFile *file);

#endif
