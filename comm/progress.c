/* progress.c - the progress line. */
#include "comm/progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "comm/clock.h"
#include "comm/log.h"

static const double REDRAW = 0.2, WINDOW = 10; /* seconds */

void progress_duration(char text[32], double seconds)
{
    if (!(seconds >= 0) || seconds > 1e9) {
        snprintf(text, 32, "?");
        return;
    }
    const long s = lround(seconds), minutes = s / 60, hours = s / 3600, days = s / 86400;
    if (s < 60)
        snprintf(text, 32, "%lds", s);
    else if (hours < 1)
        snprintf(text, 32, "%ldm%02lds", minutes, s % 60);
    else if (days < 1)
        snprintf(text, 32, "%ldh%02ldm", hours, minutes % 60);
    else
        snprintf(text, 32, "%ldd%02ldh", days, hours % 24);
}

void progress_count(char text[32], double n)
{
    static const char *const unit[] = {"", "k", "M", "G", "T"};
    int u = 0;
    while (n >= 999.5 && u < 4) {
        n /= 1000;
        u++;
    }
    const int digits = u == 0 && (n >= 10 || n == floor(n)) ? 0 : n < 9.995 ? 2 : n < 99.95 ? 1 : 0;
    snprintf(text, 32, "%.*f%s", digits, n, unit[u]);
}

static bool known(double v) { return isfinite(v) && v >= 0; }

/* 1234567 -> 1,234,567 */
static void put_grouped(char text[32], int64_t n)
{
    char plain[24];
    const int length = snprintf(plain, sizeof plain, "%lld", (long long)n);
    int to = 0;
    for (int i = 0; i < length && to < 30; i++) {
        if (i > 0 && (length - i) % 3 == 0 && plain[i - 1] != '-') text[to++] = ',';
        text[to++] = plain[i];
    }
    text[to] = '\0';
}

typedef struct Piece {
    char text[96];
    int rank; /* pieces of the highest rank go first when the line is too long */
} Piece;

enum { PIECES = 8 };

static void put_step(Piece *p, const ProgressView *v)
{
    char step[32], steps[32];
    put_grouped(step, v->step);
    put_grouped(steps, v->steps);
    if (v->steps > 0)
        snprintf(p->text, sizeof p->text, "step %s/%s", step, steps);
    else
        snprintf(p->text, sizeof p->text, "step %s", step);
}

static void put_shares(Piece *p, const ProgressView *v)
{
    static const char *const name[PROGRESS_PHASES] = {"load", "compute", "reduce", "save"};
    int at = 0;
    for (int i = 0; i < PROGRESS_PHASES; i++) {
        if (!known(v->share[i])) return;
        at += snprintf(p->text + at, sizeof p->text - (size_t)at, "%s%s %.0f%%", i ? " " : "", name[i],
                       fmin(100, 100 * v->share[i]));
    }
}

static void put_speed(Piece *p, double n, const char *what)
{
    char count[32];
    if (!known(n)) return;
    progress_count(count, n);
    snprintf(p->text, sizeof p->text, "%s %s", count, what);
}

static void put_pieces(Piece piece[PIECES], const ProgressView *v)
{
    static const int rank[PIECES] = {0, 3, 1, 6, 5, 4, 2, 7};
    for (int i = 0; i < PIECES; i++) piece[i] = (Piece){.rank = rank[i]};
    put_step(&piece[0], v);
    if (known(v->epoch)) snprintf(piece[1].text, sizeof piece[1].text, "epoch %.2f", v->epoch);
    snprintf(piece[2].text, sizeof piece[2].text, "loss %.4g", v->loss);
    if (known(v->rate)) snprintf(piece[3].text, sizeof piece[3].text, "rate %.3g", v->rate);
    put_speed(&piece[4], v->examples_per_second, "examples/s");
    put_speed(&piece[5], v->tokens_per_second, "tokens/s");
    if (known(v->seconds_left)) {
        char left[32];
        progress_duration(left, v->seconds_left);
        snprintf(piece[6].text, sizeof piece[6].text, "%s left", left);
    }
    put_shares(&piece[7], v);
}

/* packing train  45%  12,000 of 26,000 examples  3.2k examples/s  12s left */
static void put_work(Piece piece[PIECES], const ProgressView *v)
{
    static const int rank[PIECES] = {0, 1, 2, 4, 3, 5, 6, 7};
    char step[32], steps[32], left[32];
    for (int i = 0; i < PIECES; i++) piece[i] = (Piece){.rank = rank[i]};
    snprintf(piece[0].text, sizeof piece[0].text, "%s", v->work);
    if (known(v->done)) snprintf(piece[1].text, sizeof piece[1].text, "%.0f%%", 100 * fmin(1, v->done));
    put_grouped(step, v->step);
    put_grouped(steps, v->steps);
    snprintf(piece[2].text, sizeof piece[2].text, v->steps > 0 ? "%s of %s %s" : "%s%.0s %s", step, steps, v->unit);
    if (known(v->steps_per_second)) {
        progress_count(left, v->steps_per_second);
        snprintf(piece[3].text, sizeof piece[3].text, "%s %s/s", left, v->unit);
    }
    if (known(v->seconds_left)) {
        progress_duration(left, v->seconds_left);
        snprintf(piece[4].text, sizeof piece[4].text, "%s left", left);
    }
}

static void join(char line[PROGRESS_LINE], const Piece piece[PIECES], int below)
{
    int at = 0;
    line[0] = '\0';
    for (int i = 0; i < PIECES; i++) {
        if (piece[i].rank >= below || !piece[i].text[0]) continue;
        at += snprintf(line + at, PROGRESS_LINE - (size_t)at, "%s%s", at ? "  " : "", piece[i].text);
    }
}

void progress_line(char line[PROGRESS_LINE], int width, const ProgressView *view)
{
    Piece piece[PIECES];
    if (view->work)
        put_work(piece, view);
    else
        put_pieces(piece, view);
    for (int below = PIECES; below >= 1; below--) {
        join(line, piece, below);
        if (width <= 0 || (int)strlen(line) <= width) return;
    }
    if (width < PROGRESS_LINE) line[width] = '\0';
}

void progress_start(Progress *p, bool shown, double every, double now)
{
    *p = (Progress){.shown = shown, .terminal = log_terminal(), .every = every, .drawn = now, .rowed = now};
}

/* The oldest mark within the window; marks are kept a 16th of the window apart, so that the ring spans it. */
static const ProgressMark *window_start(const Progress *p, double now)
{
    const ProgressMark *oldest = NULL;
    for (int i = 0; i < p->n; i++) {
        const ProgressMark *m = &p->mark[(p->next + PROGRESS_MARKS - p->n + i) % PROGRESS_MARKS];
        oldest = m;
        if (now - m->time <= WINDOW) break;
    }
    return oldest;
}

static void keep_mark(Progress *p, double now, const ProgressTotals *t)
{
    const ProgressMark *newest = p->n ? &p->mark[(p->next + PROGRESS_MARKS - 1) % PROGRESS_MARKS] : NULL;
    if (newest && now - newest->time < WINDOW / 16) return;
    ProgressMark *m = &p->mark[p->next];
    *m = (ProgressMark){.time = now, .step = t->step, .examples = t->examples, .tokens = t->tokens};
    memcpy(m->seconds, t->seconds, sizeof m->seconds);
    p->next = (p->next + 1) % PROGRESS_MARKS;
    if (p->n < PROGRESS_MARKS) p->n++;
}

ProgressView progress_view(const Progress *p, double now, const ProgressTotals *t)
{
    ProgressView v = {.step = t->step, .steps = t->steps, .epoch = t->epoch, .loss = t->loss, .rate = t->rate};
    v.work = p->work, v.unit = p->unit;
    v.done = t->steps > 0 ? (double)t->step / (double)t->steps : -1;
    v.examples_per_second = v.tokens_per_second = v.seconds_left = v.steps_per_second = -1;
    for (int i = 0; i < PROGRESS_PHASES; i++) v.share[i] = -1;
    const ProgressMark *from = window_start(p, now);
    const double seconds = from ? now - from->time : 0;
    if (!(seconds > 0)) return v;
    v.examples_per_second = (double)(t->examples - from->examples) / seconds;
    v.tokens_per_second = (double)(t->tokens - from->tokens) / seconds;
    v.steps_per_second = (double)(t->step - from->step) / seconds;
    if (v.steps_per_second > 0 && t->steps >= t->step)
        v.seconds_left = (double)(t->steps - t->step) / v.steps_per_second;
    for (int i = 0; i < PROGRESS_PHASES; i++) v.share[i] = (t->seconds[i] - from->seconds[i]) / seconds;
    return v;
}

static void live(Progress *p, double now, const ProgressView *v)
{
    char line[PROGRESS_LINE];
    progress_line(line, log_columns() - 1, v); /* a full line would wrap on some terminals */
    log_live(line);
    p->drawn = now;
}

static void row(Progress *p, double now, const ProgressView *v, bool on_terminal)
{
    char line[PROGRESS_LINE];
    progress_line(line, 0, v);
    log_row(line, on_terminal);
    p->rowed = now;
}

void progress_update(Progress *p, double now, const ProgressTotals *totals)
{
    if (!p->shown) return;
    if (p->n == 0) p->drawn = p->rowed = now; /* the first line comes when there is a rate to show */
    keep_mark(p, now, totals);
    const bool redraw = p->terminal && now - p->drawn >= REDRAW, line = now - p->rowed >= p->every;
    if (!redraw && !line) return;
    const ProgressView v = progress_view(p, now, totals);
    if (redraw) live(p, now, &v);
    if (line) row(p, now, &v, false);
}

void progress_finish(Progress *p, double now, const ProgressTotals *totals)
{
    if (!p->shown) return;
    ProgressView v = progress_view(p, now, totals);
    v.seconds_left = -1;
    progress_clear(p);
    row(p, now, &v, true);
}

void progress_clear(Progress *p)
{
    if (p->shown && p->terminal) log_live("");
}

/* --- Works --- */

void progress_work(Progress *p, const char *work, const char *unit)
{
    progress_start(p, log_terminal() && log_on(LOG_INFO), INFINITY, clock_seconds());
    p->work = work;
    p->unit = unit;
}

void progress_at(Progress *p, int64_t units, int64_t total, double share)
{
    if (!p->shown) return;
    const double now = clock_seconds();
    const ProgressTotals t = {.step = units, .steps = total};
    keep_mark(p, now, &t);
    if (now - p->drawn < REDRAW) return;
    ProgressView v = progress_view(p, now, &t);
    if (share >= 0) v.done = share;
    if (share > 0 && total == 0) v.seconds_left = (now - p->rowed) * (1 - share) / share; /* as since the start */
    live(p, now, &v);
}
