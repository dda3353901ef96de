/* log.c - each line is one write, so that lines of several ranks do not mix. */
#include "comm/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "comm/terminal.h"

enum { LINE_SIZE = 20000, LIVE_SIZE = 512 };

/* Set once at start, but for the live line, which belongs to the main thread. */
static struct {
    int rank, ranks;
    LogLevel level;
    bool all_ranks;
    char live[LIVE_SIZE];
} state = {.ranks = 1, .level = LOG_INFO};

static const char *const level_names[] = {"quiet", "warn", "info", "debug", NULL};

void log_start(int rank, int ranks, LogLevel level, bool all_ranks)
{
    state.rank = rank;
    state.ranks = ranks;
    state.level = level;
    state.all_ranks = all_ranks;
}

const char *log_level_name(int level) { return level_names[level]; }

bool log_find_level(const char *name, LogLevel *out)
{
    for (int i = 0; level_names[i]; i++)
        if (strcmp(level_names[i], name) == 0) {
            *out = (LogLevel)i;
            return true;
        }
    return false;
}

bool log_on(LogLevel level) { return level <= state.level && (state.rank == 0 || state.all_ranks); }

bool log_terminal(void)
{
    const char *term = getenv("TERM");
    return isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
}

int log_columns(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

static void write_all(const char *text, size_t n)
{
    while (n > 0) {
        const ssize_t done = write(STDERR_FILENO, text, n);
        if (done <= 0) return; /* nobody reads: there is nowhere to say so */
        text += done;
        n -= (size_t)done;
    }
}

static void put_line(const char *word, const char *format, va_list args)
{
    char line[LINE_SIZE];
    int n = snprintf(line, sizeof line, "%s%s", state.live[0] ? "\r\033[K" : "", "mneme: ");
    if (state.all_ranks && state.ranks > 1) n += snprintf(line + n, sizeof line - (size_t)n, "rank %d: ", state.rank);
    n += snprintf(line + n, sizeof line - (size_t)n, "%s", word);
    terminal_vformat(line + n, sizeof line - (size_t)n - LIVE_SIZE - 2, format, args); /* what is too long is cut */
    n = (int)strlen(line);
    n += snprintf(line + n, sizeof line - (size_t)n, "\n%s", state.live);
    write_all(line, (size_t)n);
}

void log_info(const char *format, ...)
{
    if (!log_on(LOG_INFO)) return;
    va_list args;
    va_start(args, format);
    put_line("", format, args);
    va_end(args);
}

void log_warn(const char *format, ...)
{
    if (!log_on(LOG_WARN)) return;
    va_list args;
    va_start(args, format);
    put_line("warning: ", format, args);
    va_end(args);
}

void log_debug(const char *format, ...)
{
    if (!log_on(LOG_DEBUG)) return;
    va_list args;
    va_start(args, format);
    put_line("", format, args);
    va_end(args);
}

static void put_failure(const char *format, ...) PRINTF_LIKE(1, 2);
static void put_failure(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    put_line("", format, args);
    va_end(args);
}

void log_failure(Status code)
{
    log_live("");
    if (state.rank != 0 && !state.all_ranks) return;
    const bool trace = state.level >= LOG_DEBUG || code == ERR_INTERNAL; /* our own mistake: the trace helps us */
    const char *text = trace ? status_text() : status_message();
    put_failure("%s", text[0] ? text : status_name(code));
}

void log_live(const char *line)
{
    if (!log_on(LOG_INFO) || !log_terminal()) return;
    if (!line[0] && !state.live[0]) return;
    char text[LIVE_SIZE + 16];
    snprintf(state.live, sizeof state.live, "%.*s", log_columns() - 1, line);
    const int n = snprintf(text, sizeof text, "\r\033[K%s", state.live);
    write_all(text, (size_t)n);
}

void log_last_words(const char *format, ...)
{
    char text[LINE_SIZE];
    int n = snprintf(text, sizeof text, "%smneme: ", log_terminal() ? "\r\033[K" : "");
    va_list args;
    va_start(args, format);
    terminal_vformat(text + n, sizeof text - (size_t)n - 1, format, args);
    va_end(args);
    n = (int)strlen(text);
    text[n] = '\n';
    write_all(text, (size_t)n + 1);
}
