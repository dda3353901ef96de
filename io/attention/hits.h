/* hits.h - does attention look where the answer lies? For examples whose gold places are known: the supporting
 * sentences of a story, the deciding sentences and words of a document, the cells of a picture that matter. */
#ifndef IO_ATTENTION_HITS_H
#define IO_ATTENTION_HITS_H
#include "io/attention/attention.h"

enum { HITS_VIEWS = 256 };

typedef struct Hits {
    int n; /* views that differ by name, layer, head or hop */
    struct {
        const AttentionView *of;
        int64_t inputs; /* whose gold places are known */
        int64_t hits;   /* of these, where the highest weight lies on one of them */
    } view[HITS_VIEWS];
} Hits;

/* The views of one input whose weights have one row. Where the words of each sentence sum to 1, a hit is an input in
 * which the highest word of each gold sentence is a gold word. e is borrowed until the hits are told. */
void hits_add(Hits *h, const AttentionExample *e);
/* A line for each view:
 *     story hop 1 head 1: the highest weight is on what decides in 18 of 20 inputs (90.0 %) */
NODISCARD Status hits_say(const Hits *h, Buffer *text);

#endif
