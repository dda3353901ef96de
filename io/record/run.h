/* run.h - the folder of one training run, and who may write into it.
 *
 * One process at a time holds the folder (a lock that ends with the process). Nothing in it is ever deleted that the
 * run did not write, and --fresh moves the older run's files into RUN/previous-N/ instead of deleting them.
 *
 *   RUN/config.yaml        the effective configuration, with the origin of each value
 *   RUN/environment.json   what it ran on
 *   RUN/command.txt        the command that does it again
 *   RUN/metrics.jsonl, metrics.csv, events/    what was measured (metrics.h)
 *   RUN/checkpoints/       step-000001234.h5, checkpoints.json (io/checkpoint/checkpoint.h)
 *   RUN/classes.json       how each class did in the final evaluation (perclass.h), of tasks that have classes
 *   RUN/report.html        the page (report.h)
 *   RUN/finished.json      there when the run came to its end */
#ifndef IO_RECORD_RUN_H
#define IO_RECORD_RUN_H
#include "comm/arena.h"

typedef struct RunFolder RunFolder;

typedef struct RunFact { /* one line of environment.json: "BLAS core": "SkylakeX" */
    const char *name, *value;
} RunFact;

/* Make the folder when it is not there, take its lock, and with fresh move what an older run left into
 * RUN/previous-N/. A move that was interrupted is completed first. */
NODISCARD Status run_folder_open(RunFolder **out, Arena *run, const char *path, bool fresh);
void run_folder_close(RunFolder *f); /* NULL is fine */

const char *run_folder_path(const RunFolder *f);
const char *run_folder_checkpoints(const RunFolder *f); /* RUN/checkpoints, which is there */
const char *run_folder_previous(const RunFolder *f);    /* RUN/previous-N that fresh made, or NULL */

/* Write config.yaml, environment.json and command.txt. */
NODISCARD Status run_folder_describe(const RunFolder *f, const char *config, size_t config_size, int n_facts,
                                     const RunFact *fact, const char *command);
/* The words of a command as a shell reads them back. */
NODISCARD Status run_folder_command(Buffer *out, int n, const char *const *word);

/* The end of a run. state: an object of JSON, or any text; it is handed back by run_folder_finished. */
NODISCARD Status run_folder_finish(const RunFolder *f, int64_t step, const char *state);
/* *step = -1 when the run has not finished; else the step at which it did. state may be NULL. */
NODISCARD Status run_folder_finished(const char *path, Arena *arena, int64_t *step, const char **state);
NODISCARD Status run_folder_unfinish(const RunFolder *f); /* a finished run is to go on further */

#endif
