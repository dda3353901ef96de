/* log.h - what a person reads while the program runs: lines on stderr, and one live line below them on a terminal.
 *
 * Rank 0 speaks for all; the other ranks are silent unless log_all_ranks is set, and then name themselves. Results that
 * another program reads go to stdout, and not through here. Texts of others come through %s and are shown escaped
 * (terminal.h). */
#ifndef COMM_LOG_H
#define COMM_LOG_H
#include "comm/status.h"

typedef enum LogLevel { LOG_QUIET, LOG_WARN, LOG_INFO, LOG_DEBUG } LogLevel;

/* Before this call a process is rank 0 of 1, at LOG_INFO. */
void log_start(int rank, int ranks, LogLevel level, bool all_ranks);
bool log_find_level(const char *name, LogLevel *out); /* quiet, warn, info, debug */
const char *log_level_name(int level);                /* NULL after the last */
bool log_on(LogLevel level);                          /* would a line of this level be written here? */
/* From now on lines go to the end of this file too, with the time (UTC) before each: on rank 0, or on all ranks where
 * they all speak; those of LOG_INFO even where the standard error is quieter. A file that cannot be written any more is
 * said once. */
NODISCARD Status log_to_file(const char *path);
/* Should nobody read the standard error any more (`... 2>&1 | head -1`, with SIGPIPE ignored), lines go on in this file. */
void log_when_lost(const char *path);
bool log_terminal(void); /* stderr is a terminal that understands \r and colours */
int log_columns(void);   /* its width; 80 when unknown */

void log_info(const char *format, ...) PRINTF_LIKE(1, 2);
void log_warn(const char *format, ...) PRINTF_LIKE(1, 2); /* "mneme: warning: ..." */
void log_debug(const char *format, ...) PRINTF_LIKE(1, 2);
/* The report of a failure, as main prints it: "mneme: the message", with its trace in debug and when the mistake is
 * ours. Even when quiet. */
void log_failure(Status code);
/* "mneme: ..." from any rank and any thread, whatever the level: what a rank says before it ends the run. */
void log_last_words(const char *format, ...) PRINTF_LIKE(1, 2);

/* A line without "mneme: ", such as a row of a table that grows; on_terminal: also where a live line shows the same. */
void log_row(const char *line, bool on_terminal);
/* On a terminal, replace the live line (progress), which other lines push down; elsewhere nothing. "" takes it away. line:
 * harmless, and shorter than log_columns. */
void log_live(const char *line);

#endif
