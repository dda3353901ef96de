/* bpe.h - words cut into subwords by byte pair encoding (Sennrich et al. 2016, arXiv:1508.07909).
 *
 * Merges are learned from counted words, or read from a file, and written, in the format of subword-nmt: a line
 * "#version: 0.2", then a merge "left right" a line, the word's end being </w>. Learning gives the same merges, and
 * cutting the same subwords, as that tool does; so files may come from it and go to it. */
#ifndef IO_TEXT_BPE_H
#define IO_TEXT_BPE_H
#include "comm/arena.h"
#include "io/text/segment.h"
#include "io/text/vocab.h"

typedef struct Bpe Bpe;

/* words: without special ones. The most frequent pair is merged again and again, of equal ones the last in the order of
 * bytes; at most `merges` times, and only pairs that are there min_count times. */
NODISCARD Status bpe_learn(Bpe **out, Arena *run, const Vocab *words, int64_t merges, int64_t min_count);
/* path stands in messages. */
NODISCARD Status bpe_parse(Bpe **out, Arena *run, const char *path, const char *text, size_t size);
NODISCARD Status bpe_write(const Bpe *b, Buffer *out);
void bpe_close(Bpe *b); /* the handle lies in run, its tables do not */

int64_t bpe_merges(const Bpe *b);
/* Only allowed subwords may come out, and what no merge has made; others are cut at the merge that made them. A subword
 * is given as it is printed: with "@@" at its end when the word goes on. Without any all are allowed. */
NODISCARD Status bpe_allow(Bpe *b, Word subword, int64_t count);
/* The list as subword-nmt writes vocabularies: a line "subword count" each. */
NODISCARD Status bpe_parse_allowed(Bpe *b, const char *path, const char *text, size_t size);
NODISCARD Status bpe_write_allowed(const Bpe *b, Buffer *out);

/* The word (no mark, at most TEXT_WORD_BYTES) consists of n subwords of size[0], size[1] ... bytes. Valid until the
 * next call. */
NODISCARD Status bpe_cut(Bpe *b, Word word, const unsigned char **size, int *n);
/* How many different merges have been made in words so far. */
int64_t bpe_used(const Bpe *b);

#endif
