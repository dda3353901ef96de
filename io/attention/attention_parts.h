/* attention_parts.h - what the files of attention share: the format's name, and words as they are drawn. No other file
 * includes it. */
#ifndef IO_ATTENTION_ATTENTION_PARTS_H
#define IO_ATTENTION_ATTENTION_PARTS_H
#include <stdbool.h>

#include "io/attention/attention.h"
#include "io/attention/svg_heat.h"

#define ATTENTION_FORMAT "mneme-attention"
enum { ATTENTION_VERSION = 2 /* 1: no pairs, no measure, no entropy */ };

/* Word i; *n bytes. */
const char *attention_word(const AttentionWords *w, int64_t i, size_t *n);
/* Words first .. end as running text, with spaces where the script has them. weight (of all words) may be NULL; a word
 * is shaded by |weight| * scale, in another colour when it is negative. */
NODISCARD Status attention_text(Buffer *out, const AttentionWords *w, int64_t first, int64_t end, const double *weight,
                                double scale);
/* Parts of an example's picture: what it is and what was predicted; then all that was looked at. */
NODISCARD Status attention_verdict(Buffer *out, const AttentionExample *e);
NODISCARD Status attention_body(Buffer *out, const AttentionExample *e, AttentionReadout links);
/* A pair: matrices of target words x source words. */
NODISCARD Status attention_pair(Buffer *out, const AttentionExample *e, AttentionReadout links);
/* Its sentences as text, and its matrices alone; label: over them, instead of the view's name; may be NULL. */
NODISCARD Status attention_sides(Buffer *out, const AttentionExample *e);
NODISCARD Status attention_panels(Buffer *out, const AttentionExample *e, AttentionReadout links, const char *label);
/* Mean -log p of a target word; -1: not known. */
double attention_loss(const AttentionExample *e);
/* Name of a view, or of what its gradient tells. */
const char *attention_title(const AttentionView *v);
/* The matrix of a view over pairs, with its marks and bars; memory from arena. */
NODISCARD Status attention_heat(const AttentionExample *e, const AttentionView *v, AttentionReadout links, Arena *arena,
                                SvgHeat *h);

#endif
