/* report.h - RUN/report.html: what the run was, what it measured, and how to repeat it, on one self-contained page.
 *
 * Curves, checkpoints, environment and command come from the files in the run's folder, so that a page can be made at
 * any time, also for a run that was killed. */
#ifndef IO_RECORD_REPORT_H
#define IO_RECORD_REPORT_H
#include "comm/arena.h"
#include "io/attention/attention.h"
#include "io/config/config.h"
#include "io/record/run.h"

enum { REPORT_COLUMNS = 8 };

typedef struct ReportRow { /* of the table of results */
    const char *name, *cell[REPORT_COLUMNS];
} ReportRow;

typedef struct Report {
    const char *folder;
    const char *title;        /* NULL: the name of the folder */
    const char *subtitle;     /* one sentence: model, corpus; NULL: none */
    const Config *config;     /* values with their origins; NULL: config.yaml as it is */
    const char *main_measure; /* shown large: "accuracy"; NULL: none */
    bool higher;              /* of main_measure: higher is better */
    const char *end;          /* one sentence: why the training ended; NULL: none */
    int64_t finished;         /* the step at which it ended; 0: as the folder says */
    const char *of;           /* one sentence: what the results are figures of; NULL: none */
    int n_columns, n_rows;
    const char *const *column; /* the table of results: a column a split */
    const ReportRow *row;      /* a row a measure; a cell may be NULL */
    int n_curves;
    const char *const *curve; /* names of the charts, in order; none: all of them. What never changes is not drawn */
    int n_examples;
    const AttentionExample *example; /* pictures of attention; may be none */
} Report;

/* Build the page. */
NODISCARD Status report_page(const Report *r, Buffer *out);
/* Build it and write it to FOLDER/report.html, all or nothing. */
NODISCARD Status report_write(const Report *r);

#endif
