/* csv.h - metrics.csv: one row a record, columns that keep their places when a run resumes.
 *
 * The first four columns are step, epoch, kind and time. Columns that come later, in a resumed run too, stand
 * behind those of the file, whose rows are then written anew with empty cells; a column is never moved or removed. */
#ifndef IO_RECORD_CSV_H
#define IO_RECORD_CSV_H
#include "comm/arena.h"
#include "io/record/append.h"

typedef struct CsvFile {
    AppendFile file;
    Arena *arena;
    int n; /* columns, with the first four */
    const char **column;
    Buffer row;
} CsvFile;

enum { CSV_FIXED = 4, CSV_COLUMNS_MAX = 4096 };

/* Open or create; rows of steps after last are cut off, and those of an end before them. */
NODISCARD Status csv_open(CsvFile *f, Arena *arena, const char *path, int n, const char *const *name, int64_t last);
/* Names that have no column get one. */
NODISCARD Status csv_add(CsvFile *f, int n, const char *const *name);
/* One row: cells of columns that are not named stay empty, names that have no column are left out. */
NODISCARD Status csv_write(CsvFile *f, int64_t step, double epoch, const char *kind, double time, int n,
                           const char *const *name, const double *value);
NODISCARD Status csv_close(CsvFile *f);

/* A cell as RFC 4180 wants it: quoted when it holds a comma, a quote or a line break. */
NODISCARD Status csv_cell(Buffer *out, const char *text);

#endif
