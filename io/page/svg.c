/* svg.c - axes, ticks, curves, legend. */
#include "io/page/svg.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/page/page.h"

enum { WIDTH = 640, HEIGHT = 250, RIGHT = 14, TOP = 10, BOTTOM = 40, RUNS = 240, DOTS = 48, MAX_TICKS = 12 };

typedef struct Frame {
    double x0, x1, y0, y1; /* of the data */
    bool log;              /* the y axis */
    double left;           /* room for the labels of the y axis */
} Frame;

/* A run of points that share one place on the curve. */
typedef struct Run {
    double x, mean, low, high;
    int64_t n;
} Run;

static double px(const Frame *f, double x)
{
    return f->left + (x - f->x0) / (f->x1 - f->x0) * (WIDTH - RIGHT - f->left);
}

static double py(const Frame *f, double y)
{
    const double share =
        f->log ? (log10(y) - log10(f->y0)) / (log10(f->y1) - log10(f->y0)) : (y - f->y0) / (f->y1 - f->y0);
    return HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP);
}

int svg_ticks(double low, double high, int wanted, int max, double *tick)
{
    if (!(high > low)) return 0;
    const double rough = (high - low) / wanted, power = pow(10, floor(log10(rough))), part = rough / power;
    const double step = power * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
    int n = 0;
    for (double k = ceil(low / step - 1e-9); k * step <= high + step * 1e-9 && n < max; k++) tick[n++] = k * step;
    return n;
}

static void widen(double *low, double *high)
{
    if (*high > *low) return;
    const double room = *low != 0 ? fabs(*low) * 0.1 : 1;
    *low -= room;
    *high += room;
}

/* The extent of all finite points; false when there are none. */
static bool measure(Frame *f, const SvgChart *c, int shown)
{
    *f = (Frame){DBL_MAX, -DBL_MAX, DBL_MAX, -DBL_MAX, false, 0};
    for (int s = 0; s < shown; s++) {
        for (int64_t i = 0; i < c->series[s].n; i++) {
            const double x = c->series[s].x[i], y = c->series[s].y[i];
            if (!isfinite(x) || !isfinite(y)) continue;
            f->x0 = fmin(f->x0, x), f->x1 = fmax(f->x1, x);
            f->y0 = fmin(f->y0, y), f->y1 = fmax(f->y1, y);
        }
    }
    if (f->x1 < f->x0) return false;
    const double span = f->y0 > 0 ? f->y1 / f->y0 : 0;
    f->log = span > 200 && span < 1e6; /* beyond that it fell to nothing, and is better seen on a plain scale */
    widen(&f->x0, &f->x1);
    widen(&f->y0, &f->y1);
    if (f->log) return true;
    double tick[MAX_TICKS];
    const int n = svg_ticks(f->y0, f->y1, 5, MAX_TICKS, tick);
    const double room = n > 1 ? (tick[1] - tick[0]) * 0.25 : 0;
    if (f->y0 > 0 && f->y0 < 0.35 * f->y1)
        f->y0 = 0; /* a scale that begins at nothing where that costs little room */
    else if (f->y0 != 0)
        f->y0 -= room;
    f->y1 += room;
    return true;
}

static int y_ticks(const Frame *f, double *tick)
{
    if (!f->log) return svg_ticks(f->y0, f->y1, 5, MAX_TICKS, tick);
    int n = 0;
    const double first = ceil(log10(f->y0) - 1e-9), last = floor(log10(f->y1) + 1e-9);
    const double step = fmax(1, ceil((last - first) / 6));
    for (double k = first; k <= last && n < MAX_TICKS; k += step) tick[n++] = pow(10, k);
    return n;
}

/* The label of a tick: 0, 250, 1.5k, 2M, 0.05, 1e-05 */
static void tick_text(char text[32], double v)
{
    const double size = fabs(v);
    if (size < 1e-12)
        snprintf(text, 32, "0");
    else if (size >= 1e6)
        snprintf(text, 32, "%.4gM", v / 1e6);
    else if (size >= 1e4)
        snprintf(text, 32, "%.4gk", v / 1e3);
    else if (size >= 1e-4)
        snprintf(text, 32, "%.4g", v);
    else
        snprintf(text, 32, "%.0e", v);
}

static Status put_axes(Buffer *out, Frame *f, const char *x_label)
{
    char text[32];
    double tick[MAX_TICKS];
    int n = y_ticks(f, tick);
    size_t longest = 1;
    for (int i = 0; i < n; i++) {
        tick_text(text, tick[i]);
        longest = strlen(text) > longest ? strlen(text) : longest;
    }
    f->left = 14 + 6.6 * (double)longest;
    for (int i = 0; i < n; i++) {
        tick_text(text, tick[i]);
        TRY(buffer_format(out, "<line class=\"grid\" x1=\"%.1f\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>", f->left,
                          WIDTH - RIGHT, py(f, tick[i]), py(f, tick[i])));
        TRY(buffer_format(out, "<text text-anchor=\"end\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", f->left - 7,
                          py(f, tick[i]) + 4, text));
    }
    const int base = HEIGHT - BOTTOM;
    TRY(buffer_format(out, "<line class=\"axis\" x1=\"%.1f\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>\n", f->left, WIDTH - RIGHT,
                      base, base));
    n = svg_ticks(f->x0, f->x1, 6, MAX_TICKS, tick);
    for (int i = 0; i < n; i++) {
        tick_text(text, tick[i]);
        TRY(buffer_format(out, "<line class=\"axis\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>", px(f, tick[i]),
                          px(f, tick[i]), base, base + 4));
        TRY(buffer_format(out, "<text text-anchor=\"middle\" x=\"%.1f\" y=\"%d\">%s</text>\n", px(f, tick[i]),
                          base + 17, text));
    }
    TRY(buffer_format(out, "<text text-anchor=\"end\" x=\"%d\" y=\"%d\">", WIDTH - RIGHT, HEIGHT - 6));
    TRY(page_text(out, x_label));
    return buffer_text(out, "</text>\n");
}

/* Neighbouring points that would fall on one another are taken together. Returns how many runs there are. */
static int gather(const SvgSeries *s, Run *run)
{
    const int64_t each = (s->n + RUNS - 1) / RUNS;
    int n = 0;
    for (int64_t i = 0; i < s->n && each > 0; i += each) {
        Run r = {0, 0, DBL_MAX, -DBL_MAX, 0};
        for (int64_t k = i; k < i + each && k < s->n; k++) {
            if (!isfinite(s->y[k]) || !isfinite(s->x[k])) continue;
            r.x += s->x[k];
            r.mean += s->y[k];
            r.low = fmin(r.low, s->y[k]);
            r.high = fmax(r.high, s->y[k]);
            r.n++;
        }
        if (r.n == 0) continue;
        r.x /= (double)r.n;
        r.mean /= (double)r.n;
        run[n++] = r;
    }
    return n;
}

static Status put_band(Buffer *out, const Frame *f, const Run *run, int n)
{
    TRY(buffer_text(out, "<polygon class=\"band\" points=\""));
    for (int i = 0; i < n; i++) TRY(buffer_format(out, "%.1f,%.1f ", px(f, run[i].x), py(f, run[i].high)));
    for (int i = n - 1; i >= 0; i--) TRY(buffer_format(out, "%.1f,%.1f ", px(f, run[i].x), py(f, run[i].low)));
    return buffer_text(out, "\"/>\n");
}

/* Small dots where there are few points; at most DOTS places that answer to the pointer. */
static Status put_points(Buffer *out, const Frame *f, const SvgChart *c, const SvgSeries *s, const Run *run, int n)
{
    char x[32], y[32];
    const int every = (n + DOTS - 1) / DOTS;
    for (int i = 0; i < n; i++) {
        if (n <= DOTS)
            TRY(buffer_format(out, "<circle class=\"dot\" r=\"2\" cx=\"%.1f\" cy=\"%.1f\"/>", px(f, run[i].x),
                              py(f, run[i].mean)));
        if (i % every && i != n - 1) continue;
        page_number(x, run[i].n > 1 ? round(run[i].x) : run[i].x);
        page_number(y, run[i].mean);
        TRY(buffer_format(out, "<circle class=\"hit\" r=\"8\" cx=\"%.1f\" cy=\"%.1f\"><title>", px(f, run[i].x),
                          py(f, run[i].mean)));
        TRY(page_text(out, s->name));
        TRY(buffer_format(out, " %s at ", y));
        TRY(page_text(out, c->x_label));
        TRY(buffer_format(out, " %s</title></circle>\n", x));
    }
    return OK;
}

static Status put_curve(Buffer *out, const Frame *f, const SvgChart *c, int index)
{
    Run run[RUNS + 1];
    const SvgSeries *s = &c->series[index];
    const int n = gather(s, run);
    if (n == 0) return OK;
    TRY(buffer_format(out, "<g class=\"c%d\">", index));
    if (s->n > RUNS) TRY(put_band(out, f, run, n));
    TRY(buffer_text(out, "<polyline class=\"curve\" points=\""));
    for (int i = 0; i < n; i++) TRY(buffer_format(out, "%.1f,%.1f ", px(f, run[i].x), py(f, run[i].mean)));
    TRY(buffer_text(out, "\"/>\n"));
    TRY(put_points(out, f, c, s, run, n));
    return buffer_text(out, "</g>\n");
}

/* The name of each curve in its colour, with its last number. */
static Status put_caption(Buffer *out, const SvgChart *c, int shown)
{
    char last[32];
    TRY(buffer_text(out, "<figcaption><strong>"));
    TRY(page_text(out, c->title));
    TRY(buffer_text(out, "</strong>"));
    for (int s = 0; s < shown; s++) {
        const SvgSeries *of = &c->series[s];
        TRY(buffer_format(out, "<span class=\"key c%d\"><i>", s));
        TRY(page_text(out, of->name));
        page_number(last, of->n ? of->y[of->n - 1] : (double)NAN);
        TRY(buffer_format(out, " %s</i></span>", last));
    }
    if (shown < c->n_series) TRY(buffer_format(out, "<span>and %d more in metrics.csv</span>", c->n_series - shown));
    return buffer_text(out, "</figcaption>\n");
}

Status svg_chart(Buffer *out, const SvgChart *c)
{
    Frame f;
    const int shown = c->n_series < SVG_SERIES ? c->n_series : SVG_SERIES;
    TRY(buffer_text(out, "<figure>\n"));
    TRY(put_caption(out, c, shown));
    TRY(buffer_format(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", WIDTH, HEIGHT));
    TRY(page_text(out, c->title));
    TRY(buffer_text(out, "\">\n"));
    if (measure(&f, c, shown)) {
        TRY(put_axes(out, &f, c->x_label));
        for (int s = 0; s < shown; s++) TRY(put_curve(out, &f, c, s));
    } else
        TRY(buffer_format(out, "<text text-anchor=\"middle\" x=\"%d\" y=\"%d\">no points yet</text>\n", WIDTH / 2,
                          HEIGHT / 2));
    return buffer_text(out, "</svg>\n</figure>\n");
}
