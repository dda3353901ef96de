/* progress.h - what a person sees while it trains: one line that is redrawn on a terminal, a line every 10 s elsewhere.
 *
 * progress_line is a pure function; the rest keeps a window of the last seconds and writes to one descriptor. Whoever
 * prints something else to the terminal calls progress_clear before. Nothing here ever fails the run: a terminal that
 * is gone is no reason to stop training. */
#ifndef IO_RECORD_PROGRESS_H
#define IO_RECORD_PROGRESS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ProgressPhase {
    PROGRESS_LOAD,
    PROGRESS_COMPUTE,
    PROGRESS_REDUCE,
    PROGRESS_SAVE,
    PROGRESS_PHASES
} ProgressPhase;

/* What one line tells. Negative or not finite: unknown, left out (a loss is always shown). */
typedef struct ProgressView {
    int64_t step, steps; /* steps: of the whole run, 0 when it is not known */
    double epoch, loss, rate;
    double examples_per_second, tokens_per_second, seconds_left;
    double share[PROGRESS_PHASES]; /* of the window's time, 0..1 */
} ProgressView;

enum { PROGRESS_LINE = 512 };

/* The line, without a line break, in at most width columns (0: any width): what matters least goes first. */
void progress_line(char line[PROGRESS_LINE], int width, const ProgressView *view);
/* 59s, 12m30s, 3h05m, 2d04h */
void progress_duration(char text[32], double seconds);
/* 950, 1.23k, 45.6k, 7.89M: three digits */
void progress_count(char text[32], double n);

/* Totals since the start of this process; all ranks together where they are known. */
typedef struct ProgressTotals {
    int64_t step, steps;
    double epoch, loss, rate;
    int64_t examples, tokens;
    double seconds[PROGRESS_PHASES];
} ProgressTotals;

typedef struct ProgressMark {
    double time;
    int64_t step, examples, tokens;
    double seconds[PROGRESS_PHASES];
} ProgressMark;

enum { PROGRESS_MARKS = 32 };

typedef struct Progress {
    int fd;        /* -1: quiet */
    bool terminal; /* one line, redrawn; else a line every `every` seconds */
    double every;  /* seconds between two lines */
    double last;   /* when the last line was written */
    bool drawn;    /* a line stands on the terminal */
    int n, next;   /* marks of the window, a ring */
    ProgressMark mark[PROGRESS_MARKS];
} Progress;

/* fd: 2 for the standard error, -1 for silence (all ranks but the first). now: seconds of a clock that never goes
 * back. */
void progress_start(Progress *p, int fd, double now);
/* Call at every step: cheap when no line is due. Shows the totals; rates are over about the last 10 s. */
void progress_update(Progress *p, double now, const ProgressTotals *totals);
void progress_finish(Progress *p, double now, const ProgressTotals *totals); /* the last line stays */
void progress_clear(Progress *p);                                            /* before anything else is printed */
/* What progress_update would show: pure but for the ring of marks. */
ProgressView progress_view(const Progress *p, double now, const ProgressTotals *totals);

#endif
