/* report.h - RUN/report.html: what the run was, what it measured, and how to repeat it, on one self-contained page.
 *
 * Curves, checkpoints, environment and command come from the files in the run's folder, so that a page can be made at
 * any time, also for a run that was killed. */
#ifndef IO_RECORD_REPORT_H
#define IO_RECORD_REPORT_H
#include "comm/arena.h"
#include "io/config.h"
#include "io/record/attention.h"
#include "io/record/run.h"

typedef struct Report {
    const char *folder;
    const char *title;        /* NULL: the name of the folder */
    const char *subtitle;     /* one sentence: model, corpus; NULL: none */
    const Config *config;     /* values with their origins; NULL: config.yaml as it is */
    const char *main_measure; /* shown large: "accuracy"; NULL: none */
    bool higher;              /* of main_measure: higher is better */
    int n_results;
    const RunFact *result; /* the rows of the table of results */
    int n_examples;
    const AttentionExample *example; /* pictures of attention; may be none */
} Report;

/* Build the page. */
NODISCARD Status report_page(const Report *r, Buffer *out);
/* Build it and write it to FOLDER/report.html, all or nothing. */
NODISCARD Status report_write(const Report *r);

#endif
