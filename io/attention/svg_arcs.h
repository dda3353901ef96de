/* svg_arcs.h - words in a line that look at each other, as arcs: above the line from a word to one before it, below to
 * one behind it, a ring for a word that looks at itself. The stronger, the darker; each shows its number when the
 * pointer is over it, and what people know stands as a dashed arc. */
#ifndef IO_ATTENTION_SVG_ARCS_H
#define IO_ATTENTION_SVG_ARCS_H
#include "io/attention/attention.h"

typedef struct SvgArcs {
    const char *label; /* for those who do not see it */
    const AttentionWords *words;
    const double *value; /* (words, words) word j of the rows looks at word i; negative ones in the second colour */
    const double *scale; /* (words) |value| that has the full shade in each row */
    const unsigned char *mark; /* (words, words) as in svg_heat.h */
} SvgArcs;

/* An <svg> in the colours of page.h. */
NODISCARD Status svg_arcs(Buffer *out, const SvgArcs *a);
void svg_arcs_size(const SvgArcs *a, double *width, double *height);

#endif
