/* progress.c - the progress line. */
#include "io/record/progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const double REDRAW = 0.2, LINE_EVERY = 10, WINDOW = 10; /* seconds */

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
    put_pieces(piece, view);
    for (int below = PIECES; below >= 1; below--) {
        join(line, piece, below);
        if (width <= 0 || (int)strlen(line) <= width) return;
    }
    if (width < PROGRESS_LINE) line[width] = '\0';
}

void progress_start(Progress *p, int fd, double now)
{
    *p = (Progress){.fd = fd, .last = now};
    p->terminal = fd >= 0 && isatty(fd);
    p->every = p->terminal ? REDRAW : LINE_EVERY;
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
    v.examples_per_second = v.tokens_per_second = v.seconds_left = -1;
    for (int i = 0; i < PROGRESS_PHASES; i++) v.share[i] = -1;
    const ProgressMark *from = window_start(p, now);
    const double seconds = from ? now - from->time : 0;
    if (!(seconds > 0)) return v;
    v.examples_per_second = (double)(t->examples - from->examples) / seconds;
    v.tokens_per_second = (double)(t->tokens - from->tokens) / seconds;
    const double steps_per_second = (double)(t->step - from->step) / seconds;
    if (steps_per_second > 0 && t->steps >= t->step) v.seconds_left = (double)(t->steps - t->step) / steps_per_second;
    for (int i = 0; i < PROGRESS_PHASES; i++) v.share[i] = (t->seconds[i] - from->seconds[i]) / seconds;
    return v;
}

static int columns(const Progress *p)
{
    struct winsize size;
    if (!p->terminal) return 0;
    if (ioctl(p->fd, TIOCGWINSZ, &size) != 0 || size.ws_col < 2) return 79;
    return size.ws_col - 1; /* a full line would wrap on some terminals */
}

static void say(const Progress *p, const char *text, size_t size)
{
    const ssize_t n = write(p->fd, text, size);
    (void)n; /* see the header: nobody stops for a terminal that is gone */
}

static void draw(Progress *p, double now, const ProgressTotals *totals, bool last)
{
    char line[PROGRESS_LINE], text[PROGRESS_LINE + 16];
    const ProgressView view = progress_view(p, now, totals);
    progress_line(line, columns(p), &view);
    const int n =
        snprintf(text, sizeof text, "%s%s%s", p->terminal ? "\r\033[K" : "", line, p->terminal && !last ? "" : "\n");
    say(p, text, (size_t)n);
    p->drawn = p->terminal && !last;
    p->last = now;
}

void progress_update(Progress *p, double now, const ProgressTotals *totals)
{
    if (p->fd < 0) return;
    if (p->n == 0) p->last = now; /* the first line comes when there is a rate to show */
    keep_mark(p, now, totals);
    if (now - p->last >= p->every) draw(p, now, totals, false);
}

void progress_finish(Progress *p, double now, const ProgressTotals *totals)
{
    if (p->fd >= 0) draw(p, now, totals, true);
}

void progress_clear(Progress *p)
{
    if (!p->drawn) return;
    say(p, "\r\033[K", 4);
    p->drawn = false;
}
