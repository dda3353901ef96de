/* svg.h - a chart of curves as an HTML figure with inline SVG, in the colours of page.h.
 *
 * Long series are drawn as the mean of runs of points with the band from least to greatest behind it; what is not
 * finite is left out. Each point shows its numbers when the pointer is over it. */
#ifndef IO_PAGE_SVG_H
#define IO_PAGE_SVG_H
#include "comm/arena.h"

enum { SVG_SERIES = 8 };

typedef struct SvgSeries {
    const char *name;
    int64_t n;
    const double *x, *y; /* x ascending */
} SvgSeries;

typedef struct SvgChart {
    const char *title, *x_label;
    int n_series; /* those after SVG_SERIES are left out, and the caption says so */
    const SvgSeries *series;
} SvgChart;

NODISCARD Status svg_chart(Buffer *out, const SvgChart *c);

/* Ticks at 1, 2 or 5 times a power of ten within [low, high], about `wanted` of them. Returns how many, at most max. */
int svg_ticks(double low, double high, int wanted, int max, double *tick);

#endif
