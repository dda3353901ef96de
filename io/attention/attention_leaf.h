/* attention_leaf.h - many pictures on one page, one at a time: to leaf through, worst first. No other file than
 * attention_page.c includes it.
 *
 * The pictures are made as for any page; each is deflated and lies in the page as base64, and a small script unpacks
 * the one that is shown. Without a script the first ones are there as they are. */
#ifndef IO_ATTENTION_ATTENTION_LEAF_H
#define IO_ATTENTION_ATTENTION_LEAF_H
#include "io/attention/attention.h"

/* put writes the picture of input i. */
typedef Status AttentionPut(Buffer *out, const AttentionPage *p, int i);
NODISCARD Status attention_leaf(Buffer *out, const AttentionPage *p, AttentionPut *put);

#endif
