/* status.h - how a function says that it failed, and what the user will read.
 *
 * A function that can fail returns Status. FAIL and REQUIRE write the message once, with the facts;
 * TRY passes a failure on and adds a line of trace. The report belongs to the calling thread; only
 * main prints it, and the exit code of the program is the status. Texts of others come through %s, where they are shown
 * escaped (terminal.h); one that fills a line of the format takes a message that was made before. */
#ifndef COMM_STATUS_H
#define COMM_STATUS_H
#include <stdbool.h>

/* The values are the exit codes of the program (sysexits where one fits). */
typedef enum Status {
    OK = 0,
    ERR_CHECK = 2,     /* a check that was asked for failed, or the training left the finite numbers */
    ERR_USAGE = 64,    /* the command line */
    ERR_DATA = 65,     /* the content of a file */
    ERR_INPUT = 66,    /* a file that is not there or not readable */
    ERR_HOST = 69,     /* the host lacks something: memory, a library, a CPU feature */
    ERR_INTERNAL = 70, /* our own mistake */
    ERR_IO = 74,       /* writing or reading: disk full, read-only folder, I/O error */
    STOPPED = 75,      /* not a failure: stopped after a good save, start again */
    ERR_COMM = 76,     /* a rank stopped answering, MPI failed, or ranks differ */
    ERR_CONFIG = 78    /* the configuration */
} Status;

#define NODISCARD              __attribute__((warn_unused_result))
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))

/* Start a new report of this thread: the message, then the first line of trace. Returns code. */
Status status_fail(Status code, const char *file, int line, const char *func, const char *format, ...)
    PRINTF_LIKE(5, 6);
/* Add "in func (file:line)" to the report. Returns code. */
Status status_trace(Status code, const char *file, int line, const char *func);
/* Take over a report that another rank or thread made. Returns code. */
Status status_adopt(Status code, const char *text);

const char *status_text(void); /* the whole report of this thread, "" when there is none */
const char *
status_message(void); /* its message alone, without the trace (several lines when there are several faults) */
const char *status_name(Status code); /* "bad data", "input/output", ... */
void status_clear(void);

#define FAIL(code, ...) return status_fail((code), __FILE__, __LINE__, __func__, __VA_ARGS__)
#define REQUIRE(cond, code, ...)                                                                                       \
    do {                                                                                                               \
        if (!(cond)) FAIL((code), __VA_ARGS__);                                                                        \
    } while (0)
#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        const Status try_status_ = (call);                                                                             \
        if (try_status_ != OK) return status_trace(try_status_, __FILE__, __LINE__, __func__);                         \
    } while (0)

#endif
