/* log.c - each line is one write, so that lines of several ranks do not mix. */
#include "comm/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "comm/terminal.h"

enum { LINE_SIZE = 20000, LIVE_SIZE = 512, STAMP = 24 };

/* Set once at start, but for the live line, which belongs to the main thread, and a file that failed. */
static struct {
    int rank, ranks;
    LogLevel level;
    bool all_ranks;
    bool filed; /* lines go to file too */
    int file;
    char path[1024];
    char live[LIVE_SIZE];
    bool lost; /* nobody reads standard error any more */
    char lost_path[1024];
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

static bool speaks(void) { return state.rank == 0 || state.all_ranks; }

static bool on_screen(LogLevel level) { return level <= state.level && speaks(); }

static bool on_file(LogLevel level)
{
    return state.filed && level <= (state.level > LOG_INFO ? state.level : LOG_INFO);
}

bool log_on(LogLevel level) { return on_screen(level) || on_file(level); }

Status log_to_file(const char *path)
{
    if (!speaks()) return OK;
    const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    REQUIRE(fd >= 0, ERR_IO, "%s: %s", path, strerror(errno));
    if (state.filed) close(state.file);
    state.file = fd;
    state.filed = true;
    snprintf(state.path, sizeof state.path, "%s", path);
    return OK;
}

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

static void to_file(const char *line, size_t n);

static bool write_all(int fd, const char *text, size_t n)
{
    while (n > 0) {
        const ssize_t done = write(fd, text, n);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        text += done;
        n -= (size_t)done;
    }
    return true;
}

static void go_on_in_file(void)
{
    static const char why[] = "mneme: standard error has no reader any more: the log goes on here\n";
    if (!state.lost || state.filed || !state.lost_path[0]) return;
    if (log_to_file(state.lost_path) == OK) to_file(why, sizeof why - 1);
}

static void to_screen(const char *text, size_t n)
{
    if (state.lost || write_all(STDERR_FILENO, text, n) || errno != EPIPE) return;
    state.lost = true;
    go_on_in_file();
}

void log_when_lost(const char *path)
{
    snprintf(state.lost_path, sizeof state.lost_path, "%s", path);
    go_on_in_file();
}

/* line: with its line break */
static void to_file(const char *line, size_t n)
{
    char text[LINE_SIZE + STAMP];
    const time_t now = time(NULL);
    struct tm utc;
    const size_t stamp = gmtime_r(&now, &utc) ? strftime(text, STAMP, "%Y-%m-%dT%H:%M:%SZ ", &utc) : 0;
    memcpy(text + stamp, line, n);
    if (write_all(state.file, text, stamp + n)) return;
    state.filed = false;
    close(state.file);
    log_warn("%s: %s; no more lines are written there", state.path, strerror(errno));
}

/* line: used bytes with the line break. The live line stays below. */
static void emit(const char *line, size_t used, LogLevel level, bool screen)
{
    char text[LINE_SIZE + LIVE_SIZE + 16];
    if (screen && on_screen(level)) {
        const char *clear = state.live[0] ? "\r\033[K" : "";
        const int n = snprintf(text, sizeof text, "%s%.*s%s", clear, (int)used, line, state.live);
        to_screen(text, (size_t)n);
    }
    if (on_file(level)) to_file(line, used);
}

static void put_line(LogLevel level, const char *word, const char *format, va_list args)
{
    char line[LINE_SIZE];
    int n = snprintf(line, sizeof line, "mneme: ");
    if (!log_on(level)) return;
    if (state.all_ranks && state.ranks > 1) n += snprintf(line + n, sizeof line - (size_t)n, "rank %d: ", state.rank);
    n += snprintf(line + n, sizeof line - (size_t)n, "%s", word);
    terminal_vformat(line + n, sizeof line - (size_t)n - 1, format, args); /* what is too long is cut */
    const size_t used = strlen(line);
    line[used] = '\n';
    emit(line, used + 1, level, true);
}

void log_info(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    put_line(LOG_INFO, "", format, args);
    va_end(args);
}

void log_warn(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    put_line(LOG_WARN, "warning: ", format, args);
    va_end(args);
}

void log_debug(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    put_line(LOG_DEBUG, "", format, args);
    va_end(args);
}

void log_row(const char *line, bool on_terminal)
{
    char text[LINE_SIZE];
    terminal_lines(text, sizeof text - 1, line, strlen(line));
    const size_t used = strlen(text);
    text[used] = '\n';
    emit(text, used + 1, LOG_INFO, on_terminal || !log_terminal());
}

static void put_failure(const char *format, ...) PRINTF_LIKE(1, 2);
static void put_failure(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    put_line(LOG_QUIET, "", format, args);
    va_end(args);
}

void log_failure(Status code)
{
    log_live("");
    const bool trace = state.level >= LOG_DEBUG || code == ERR_INTERNAL; /* our own mistake: the trace helps us */
    const char *text = trace ? status_text() : status_message();
    put_failure("%s", text[0] ? text : status_name(code));
}

void log_live(const char *line)
{
    if (!on_screen(LOG_INFO) || !log_terminal()) return;
    if (!line[0] && !state.live[0]) return;
    char text[LIVE_SIZE + 16];
    snprintf(state.live, sizeof state.live, "%s", line);
    const int n = snprintf(text, sizeof text, "\r\033[K%s", state.live);
    to_screen(text, (size_t)n);
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
    to_screen(text, (size_t)n + 1);
    const size_t begin = text[0] == '\r' ? 4 : 0;
    if (state.filed) to_file(text + begin, (size_t)n + 1 - begin);
}
