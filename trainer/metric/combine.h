/* combine.h - the links of two directions made one (Koehn, Och, Marcu 2003; Koehn et al. 2005).
 *
 * forward: links of the model from source to target, reverse: of the other one; both name the source's word first. */
#ifndef TRAINER_METRIC_COMBINE_H
#define TRAINER_METRIC_COMBINE_H
#include "io/import/links.h"

/* intersection, union, grow, grow-diag, grow-diag-final, grow-diag-final-and; NULL after the last. */
const char *combine_name(int i);

/* symal (of Moses), atools (of fast_align): whose order; NULL after the last. Where additions exclude one another, what
 * is added hangs on it. */
const char *combine_order(int i);

/* All links of forward and reverse (those called possible) are taken, all of the result are sure. Numbers of words
 * below 2^15. Memory from arena; ERR_INTERNAL for names that are not in the lists. */
NODISCARD Status combine_links(const char *name, const char *order, const Links *forward, const Links *reverse,
                               Arena *arena, Links *out);

#endif
