/* status.c - the report of the current thread. */
#include "comm/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "comm/terminal.h"

enum { REPORT_SIZE = 16384 };

typedef struct Report {
    char text[REPORT_SIZE];    /* message, then the trace */
    char message[REPORT_SIZE]; /* message alone */
    size_t used;
} Report;

static _Thread_local Report report;

static void append(const char *line)
{
    const size_t n = strlen(line);
    if (report.used + n >= REPORT_SIZE) return; /* a full report keeps its beginning, which names the cause */
    memcpy(report.text + report.used, line, n + 1);
    report.used += n;
}

static void append_place(const char *word, const char *func, const char *file, int line)
{
    char text[512];
    snprintf(text, sizeof text, "\n  %s %s (%s:%d)", word, func, file, line);
    append(text);
}

Status status_fail(Status code, const char *file, int line, const char *func, const char *format, ...)
{
    char message[REPORT_SIZE];
    va_list args;
    va_start(args, format);
    terminal_vformat(message, sizeof message, format, args); /* may quote the old report: write beside it first */
    va_end(args);
    report.used = 0;
    memcpy(report.message, message, strlen(message) + 1);
    append(message);
    append_place("at", func, file, line);
    return code;
}

Status status_trace(Status code, const char *file, int line, const char *func)
{
    append_place("in", func, file, line);
    return code;
}

Status status_adopt(Status code, const char *text)
{
    report.used = 0;
    report.text[0] = '\0';
    append(text);
    const char *trace = strstr(text, "\n  at ");
    size_t n = trace ? (size_t)(trace - text) : strlen(text);
    if (n >= REPORT_SIZE) n = REPORT_SIZE - 1;
    memmove(report.message, text, n);
    report.message[n] = '\0';
    return code;
}

const char *status_text(void) { return report.text; }

const char *status_message(void) { return report.message; }

void status_clear(void)
{
    report.used = 0;
    report.text[0] = report.message[0] = '\0';
}

const char *status_name(Status code)
{
    switch (code) {
    case OK: return "done";
    case ERR_CHECK: return "check failed";
    case ERR_USAGE: return "usage";
    case ERR_DATA: return "bad data";
    case ERR_INPUT: return "input missing";
    case ERR_HOST: return "host lacks something";
    case ERR_INTERNAL: return "internal error";
    case ERR_IO: return "input/output";
    case STOPPED: return "stopped after a save";
    case ERR_COMM: return "ranks";
    case ERR_CONFIG: return "configuration";
    }
    return "unknown status";
}
