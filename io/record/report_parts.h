/* report_parts.h - the sections of report.c that read files of the run's folder. No other file includes it. */
#ifndef IO_RECORD_REPORT_PARTS_H
#define IO_RECORD_REPORT_PARTS_H
#include "io/record/curves.h"
#include "io/record/report.h"

NODISCARD Status report_curves(Buffer *out, const Report *r, const Curves *c, Arena *arena);
NODISCARD Status report_checkpoints(Buffer *out, const Report *r, Arena *arena);
NODISCARD Status report_config(Buffer *out, const Report *r, Arena *arena);
NODISCARD Status report_environment(Buffer *out, const Report *r, Arena *arena);
/* A text file as it is; nothing when it is not there. */
NODISCARD Status report_file(Buffer *out, const char *path, const char *title, const char *note);

#endif
