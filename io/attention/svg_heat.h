/* svg_heat.h - a matrix as an SVG heat map with labels on its axes: columns above, rows at the left.
 *
 * Labels stand as their script wants: Han and kana upright in vertical lines above the columns, others turned; words of
 * right-to-left scripts run from their own side, and columns of a right-to-left text too. Long ones are cut; each
 * cell and label shows all of itself when the pointer is over it. Sizes are in pixels of the page. */
#ifndef IO_ATTENTION_SVG_HEAT_H
#define IO_ATTENTION_SVG_HEAT_H
#include "io/attention/attention.h"

enum { SVG_LINK = 1, SVG_SURE = 2, SVG_POSSIBLE = 4, SVG_BARS = 2 };

/* Beside each row: a number as the length of a bar. */
typedef struct SvgBar {
    const char *name;
    const double *value; /* (rows); below 0: none */
    double most;         /* has the full length; longer ones are cut */
    bool second;         /* in the second colour */
} SvgBar;

typedef struct SvgHeat {
    const char *label; /* for those who do not see it */
    const AttentionWords *columns, *rows;
    const double *value;       /* (rows, columns); negative ones in the second colour */
    const double *scale;       /* (rows) |value| that has the full shade in each row */
    const unsigned char *mark; /* (rows, columns) SVG_LINK | SVG_SURE | SVG_POSSIBLE; NULL: none */
    int n_bars;
    SvgBar bar[SVG_BARS];
} SvgHeat;

/* An <svg> in the colours of page.h. */
NODISCARD Status svg_heat(Buffer *out, const SvgHeat *h);
void svg_heat_size(const SvgHeat *h, double *width, double *height);

#endif
