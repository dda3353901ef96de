/* corpus_parts.h - what the files of io/corpus share about an open corpus. No other folder includes it. */
#ifndef IO_CORPUS_CORPUS_PARTS_H
#define IO_CORPUS_CORPUS_PARTS_H
#include <limits.h>

#include "io/corpus/index.h"
#include "io/h5/h5.h"

const Index *corpus_index(const Corpus *c);
/* Open shard i of a split and compare it with the index; path is for messages. */
NODISCARD Status corpus_open_shard(const Corpus *c, const IndexSplit *split, int i, H5 **out, char path[PATH_MAX]);
/* Reads every example: ERR_DATA when what is in the shards is not what the index says. */
NODISCARD Status inspect_content(const Corpus *c, Arena *arena);
/* The settings of section `text` for the index. */
NODISCARD Status corpus_describe_text(const TextSettings *s, Buffer *out);
/* [collective] Rank 0's bytes replace everyone's. */
NODISCARD Status corpus_share_bytes(Comm *comm, Buffer *b);

#endif
