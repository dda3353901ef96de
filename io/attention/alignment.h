/* alignment.h - which words belong together, read out of attention, and set against links that people drew.
 *
 * Links are between words, not their pieces: words are linked when any of their pieces are. A piece of no word (the
 * mark at the end) is never linked; a target word that looks there has no link. */
#ifndef IO_ATTENTION_ALIGNMENT_H
#define IO_ATTENTION_ALIGNMENT_H
#include "io/attention/attention.h"
#include "io/import/links.h"

typedef struct AlignmentLinks {
    int64_t n;
    const int64_t *at; /* (n,2) source word, target word; NULL: not known */
} AlignmentLinks;

/* Of a view from the words of one field, the source, to those of another, the target: target pieces x source pieces.
 * Is source piece i linked to target piece j? */
bool alignment_linked(const AttentionExample *e, const AttentionView *v, AttentionReadout how, int64_t i, int64_t j);
/* The links between words, ascending by source word and then target word. Memory from arena. */
NODISCARD Status alignment_links(const AttentionExample *e, const AttentionView *v, AttentionReadout how, Arena *arena,
                                 AlignmentLinks *out);
/* What people know of them; possible need not hold the sure ones. */
typedef struct AlignmentGold {
    AlignmentLinks sure, possible;
} AlignmentGold;
AlignmentGold alignment_gold(const AttentionExample *e, const AttentionView *v);
/* Alignment error rate (Och, Ney 2003): 1 - (|A and S| + |A and P|) / (|A| + |S|), sure links being possible too.
 * -1 when there are no gold links. The counts are added to *sum, which may be NULL. */
typedef struct AlignmentCounts {
    int64_t hits_sure, hits_possible, links, sure;
} AlignmentCounts;
double alignment_error(const AlignmentGold *gold, const AlignmentLinks *a, AlignmentCounts *sum);
double alignment_rate(const AlignmentCounts *c);
/* The same for links that were read from files; all links of the guess count. */
void alignment_compare(const Links *guess, const Links *gold, AlignmentCounts *sum);

/* "0-0 1-2" and a newline: Pharaoh's format. */
NODISCARD Status alignment_pharaoh(const AlignmentLinks *l, Buffer *out);

#endif
