/* bpe_parts.h - what the files bpe*.c share. No other file includes it. */
#ifndef IO_TEXT_BPE_PARTS_H
#define IO_TEXT_BPE_PARTS_H
#include "io/text/bpe.h"
#include "io/text/symbols.h"

#define BPE_END "</w>"
enum { BPE_END_BYTES = 4 };

struct Bpe {
    bool old;             /* version 0.1: </w> is a symbol of its own, behind the last character */
    Symbols symbol;       /* of all merges, the word's end included */
    SymbolPairs merge;    /* by rank */
    Buffer made;          /* int32_t: the symbol that each merge makes */
    Buffer made_by;       /* int32_t: the first merge that makes this symbol + 1; 0: none */
    Buffer used;          /* char: this merge was made in a word */
    Symbols allowed;      /* subwords as they are printed; none: all */
    Buffer allowed_count; /* int64_t */
    Symbols word;         /* words that were cut, and */
    Buffer first, cuts;   /* int64_t: where its sizes begin in cuts; unsigned char */
};

/* A merge that is there already is passed over: the first one counts. made: the symbol. */
NODISCARD Status bpe_add(Bpe *b, Word left, Word right, int32_t *made);
void bpe_forget(Bpe *b); /* the words that were cut */

#endif
