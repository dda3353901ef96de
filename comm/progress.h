/* progress.h - how far a long work is: one line that is redrawn on a terminal, elsewhere rows of a training, and nothing
 * of other works.
 *
 * progress_line is a pure function; the rest keeps a window of the last seconds and speaks through comm/log.h, so that
 * other lines push the live one down. Nothing here ever fails the run, and time alone decides when something is drawn:
 * calls in between cost a look at the clock. */
#ifndef COMM_PROGRESS_H
#define COMM_PROGRESS_H
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
    const char *work;    /* NULL: a training; else what is done: "packing train" */
    const char *unit;    /* of the steps of a work: "examples" */
    int64_t step, steps; /* steps: of the whole run, 0 when it is not known */
    double done;         /* share of a work, 0..1 */
    double steps_per_second;
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
    bool shown, terminal;
    const char *work, *unit;
    double every;        /* seconds between two rows */
    double drawn, rowed; /* when the live line and the last row came */
    int n, next;         /* marks of the window, a ring */
    ProgressMark mark[PROGRESS_MARKS];
} Progress;

/* shown: by the rank that speaks. every: seconds between two rows where no terminal is. now: seconds of a clock that
 * never goes back. */
void progress_start(Progress *p, bool shown, double every, double now);
/* Call at every step. Shows the totals; rates are over about the last 10 s. */
void progress_update(Progress *p, double now, const ProgressTotals *totals);
void progress_finish(Progress *p, double now, const ProgressTotals *totals); /* the last line stays */
void progress_clear(Progress *p);                                            /* it ends without a last line */
/* What progress_update would show: pure but for the ring of marks. */
ProgressView progress_view(const Progress *p, double now, const ProgressTotals *totals);

/* A work of another kind: only on a terminal, and gone at its end. work, unit: texts of our own that stay. */
void progress_work(Progress *p, const char *work, const char *unit);
/* So many units of total are done. total 0: how many there are is not known, but the share of the work may be (of the
 * bytes of a file), else share < 0. */
void progress_at(Progress *p, int64_t units, int64_t total, double share);

#endif
